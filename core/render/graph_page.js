/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A flame graph on a canvas. The tree comes as one string: for each node in preorder how far to climb, the frame, its own
 * value (and the value before, in a difference), each a number in base 32. It is kept in typed arrays; what is narrower
 * than half a pixel is skipped with all that is above it, so drawing does not depend on the number of stacks.
 */
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const canvas = $("canvas"), pen = canvas.getContext("2d");
const ROW = 18, GLYPH = 7.2, LEAST = 0.5;
const PROCESS = 5, DELIMITER = 7, ALL = 8;
const LINES = 500; /* of the table */

/* ---- numbers ---- */

const number = new Intl.NumberFormat("en-US");
/* Rounded as percent_add() in C does. */
const percent = (part, whole) => (Math.floor((whole ? 100 * part / whole : 0) * 100 + 0.5) / 100).toFixed(2) + "%";
const signed = (value) => (value > 0 ? "+" : "") + number.format(value);

/* ---- trees ---- */

function allocate(n) {
  return {
    n, frame: new Int32Array(n), depth: new Int32Array(n), end: new Int32Array(n), parent: new Int32Array(n),
    self: new Float64Array(n), before: new Float64Array(n), total: new Float64Array(n), totalBefore: new Float64Array(n),
    start: new Float64Array(n), startBefore: new Float64Array(n), maxDepth: 0,
  };
}

/* Where each box begins, by the sizes of one side. */
function place(tree, size, start) {
  const next = [];
  for (let i = 0; i < tree.n; i++) {
    const d = tree.depth[i], x = d ? next[d] : 0;
    start[i] = x;
    next[d] = x + size[i];
    next[d + 1] = x;
  }
}

/* Totals, ends and places of a tree whose frame, depth, parent, self and before are known. */
function complete(tree) {
  for (let i = 0; i < tree.n; i++) {
    tree.end[i] = i + 1;
    tree.total[i] = tree.self[i];
    tree.totalBefore[i] = tree.before[i];
    if (tree.depth[i] > tree.maxDepth) tree.maxDepth = tree.depth[i];
  }
  for (let i = tree.n - 1; i > 0; i--) {
    const p = tree.parent[i];
    tree.total[p] += tree.total[i];
    tree.totalBefore[p] += tree.totalBefore[i];
    if (tree.end[i] > tree.end[p]) tree.end[p] = tree.end[i];
  }
  place(tree, tree.total, tree.start);
  if (data.diff) place(tree, tree.totalBefore, tree.startBefore);
  return tree;
}

function decode(text, n, diff) {
  const tree = allocate(n), digit = new Uint8Array(128), path = [0];
  const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+-";
  let at = 0, depth = -1;
  for (let i = 0; i < 64; i++) digit[alphabet.charCodeAt(i)] = i;
  function number() {
    let value = 0, scale = 1;
    for (;;) {
      const d = digit[text.charCodeAt(at++)];
      value += (d & 31) * scale;
      if (d < 32) return value;
      scale *= 32;
    }
  }
  for (let i = 0; i < n; i++) {
    depth += 1 - number();
    tree.depth[i] = depth;
    tree.frame[i] = number();
    tree.self[i] = number();
    if (diff) tree.before[i] = number();
    tree.parent[i] = depth ? path[depth - 1] : 0;
    path[depth] = i;
  }
  return complete(tree);
}

/* Calls `visit` for a node and all below it, but for what stands on one for which it says no. */
function walk(root, visit) {
  for (let i = root; i < tree.end[root];) i = visit(i) ? i + 1 : tree.end[i];
}

/* The tree once more with other roots, or with the leaves first. */
function rebuild(base, group, reverse) {
  const fresh = (frame) => ({ frame, children: new Map(), self: 0, before: 0 });
  const root = fresh(base.frame[0]), path = [];
  let n = 1;
  for (let i = 1; i < base.n; i++) {
    const depth = base.depth[i];
    path[depth] = base.frame[i];
    if (!base.self[i] && !base.before[i]) continue;
    let node = root;
    const ofProcess = data.kinds[path[1]] === PROCESS, frames = path.slice(ofProcess ? 2 : 1, depth + 1);
    if (reverse) frames.reverse();
    if (ofProcess && group !== "none") frames.unshift(rootOf(path[1], group));
    for (const frame of frames) {
      let child = node.children.get(frame);
      if (!child) {
        child = fresh(frame);
        node.children.set(frame, child);
        n++;
      }
      node = child;
    }
    node.self += base.self[i];
    node.before += base.before[i];
  }
  root.self += base.self[0];
  root.before += base.before[0];
  return lay(root, n);
}

function lay(root, n) {
  const tree = allocate(n), todo = [[root, 0, 0]];
  let at = 0;
  while (todo.length) {
    const [node, parent, depth] = todo.pop(), i = at++;
    tree.frame[i] = node.frame;
    tree.parent[i] = parent;
    tree.depth[i] = depth;
    tree.self[i] = node.self;
    tree.before[i] = node.before;
    const children = [...node.children.values()].sort((a, b) => (data.names[a.frame] < data.names[b.frame] ? 1 : -1));
    for (const child of children) todo.push([child, i, depth + 1]);
  }
  return complete(tree);
}

/* The process or the command of a thread "comm (pid/tid)" or process "comm (pid)"; groups that the data has are as they are. */
const made = new Map();
function rootOf(frame, group) {
  if (group === data.finest) return frame;
  const name = group === "pid" ? data.names[frame].replace(/ \((\d+)\/\d+\)$/, " ($1)") : data.names[frame].replace(/ \(\d+(\/\d+)?\)$/, "");
  if (!made.has(name)) {
    made.set(name, data.names.length);
    data.names.push(name);
    data.modules.push("");
    data.kinds.push(PROCESS);
    colors.push(colors[frame]);
  }
  return made.get(name);
}

/* ---- state ---- */

const colors = [];
for (let i = 0; i < data.names.length; i++) colors.push("#" + data.colors.substr(6 * i, 6));
const base = decode(data.nodes, data.n, data.diff);
const groups = { none: ["none"], comm: ["comm", "none"], pid: ["comm", "pid", "none"], tid: ["comm", "pid", "tid", "none"], container: ["container", "none"] }[data.finest];
const hasProcesses = data.kinds.includes(PROCESS);
const wholeNow = base.total[0], wholeBefore = base.totalBefore[0];
let tree = base, zoomed = 0, cursor = -1, matched = null, history_ = [], largest = 0, drawn = 0;
let size = base.total, start = base.start; /* of the boxes: those of now, or of before */

/* A sum of values before as it is shown: scaled to the sum of those now when the tool was told to. As tree_before() in C. */
function scaled(sum) {
  if (!data.normalize || !wholeBefore) return sum;
  const half = Math.floor(wholeBefore / 2), scaledSum = sum * wholeNow + half;
  if (scaledSum < Number.MAX_SAFE_INTEGER) return Math.floor(scaledSum / wholeBefore);
  return Number((BigInt(sum) * BigInt(wholeNow) + BigInt(half)) / BigInt(wholeBefore));
}

function change(i) {
  return tree.total[i] - scaled(tree.totalBefore[i]);
}

/* How much of the profile before is in branches that have nothing now. */
function gone() {
  let sum = 0;
  walk(0, (i) => {
    if (!tree.total[i]) sum += tree.totalBefore[i];
    return tree.total[i];
  });
  return sum;
}

/* Where every command is one process, grouping by command only changes names: no new tree for a million stacks. */
function renamed() {
  const tops = [];
  for (let i = 1; i < base.n; i = base.end[i]) tops.push(i);
  const names = tops.map((i) => (data.kinds[base.frame[i]] === PROCESS ? rootOf(base.frame[i], "comm") : base.frame[i]));
  if (new Set(names).size !== names.length) return null;
  const frame = base.frame.slice();
  tops.forEach((i, k) => (frame[i] = names[k]));
  return Object.assign({}, base, { frame });
}

function shape() {
  const group = hasProcesses ? $("group").value : "none", reverse = $("reverse").checked;
  if (!reverse && (group === data.finest || !hasProcesses)) tree = base;
  else tree = (!reverse && group === "comm" && renamed()) || rebuild(base, group, reverse);
  zoomed = 0;
  cursor = -1;
  history_ = [];
  largest = 0;
  setSide();
  showMissing();
  for (let i = 1; i < tree.n; i++) largest = Math.max(largest, Math.abs(change(i)));
}

function setSide() {
  const before = $("side").value === "before";
  size = before ? tree.totalBefore : tree.total;
  start = before ? tree.startBefore : tree.start;
}

/* What the widths do not show. */
function showMissing() {
  const nr = data.diff ? gone() : 0, parts = [data.subtitle];
  if (data.note) parts.push(data.note);
  if (nr) parts.push(number.format(nr) + " " + data.unit + " before (" + percent(nr, wholeBefore) + ") are in stacks that no longer occur");
  $("subtitle").textContent = parts.join("; ");
}

function mix(share, r, g, b) {
  const part = (c) => Math.round(244 + (c - 244) * share);
  return "rgb(" + part(r) + "," + part(g) + "," + part(b) + ")";
}

function colorOf(i) {
  if (matched && matched[tree.frame[i]]) return "#e86bf0";
  if (!data.diff || !i) return colors[tree.frame[i]];
  const share = largest ? Math.sqrt(Math.abs(change(i)) / largest) : 0;
  if (!change(i)) return "#f4f4f4";
  return (change(i) > 0) !== data.negate ? mix(share, 245, 110, 90) : mix(share, 90, 160, 245);
}

/* ---- drawing ---- */

/* Too narrow to be seen, or narrower than was asked for: not drawn, but in every number. */
function isNarrow(i, scale) {
  return size[i] * scale < LEAST || (i && size[i] * 100000 < data.least * size[0]);
}

function rowsShown() {
  const scale = canvas.clientWidth / size[zoomed];
  let deepest = tree.depth[zoomed];
  walk(zoomed, (i) => {
    if (isNarrow(i, scale)) return false;
    deepest = Math.max(deepest, tree.depth[i]);
    return true;
  });
  return Math.min(deepest + 1, 1500);
}

let rows = 1;

function rowY(depth) {
  return ($("inverted").checked ? depth : rows - 1 - depth) * ROW;
}

function box(i, x, w, pale) {
  const y = rowY(tree.depth[i]), room = Math.floor((w - 6) / GLYPH);
  if (y < 0 || tree.depth[i] >= rows) return;
  drawn++;
  pen.globalAlpha = pale ? 0.55 : 1;
  pen.fillStyle = colorOf(i);
  pen.fillRect(x, y, Math.max(w - (w > 2 ? 0.6 : 0), 0.4), ROW - 1);
  if (i === cursor) {
    pen.strokeStyle = getComputedStyle(document.body).color;
    pen.lineWidth = 2;
    pen.strokeRect(x + 1, y + 1, Math.max(w - 2, 1), ROW - 3);
  }
  if (room >= 3) {
    const name = Array.from(data.names[tree.frame[i]]);
    pen.fillStyle = "#000";
    pen.fillText(name.length <= room ? name.join("") : name.slice(0, room - 2).join("") + "..", x + 3, y + 13);
  }
  pen.globalAlpha = 1;
}

function draw() {
  const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, began = performance.now();
  if (canvas.hidden) return;
  if (!size[0]) {
    canvas.style.height = 0;
    $("details").textContent = "no stacks";
    return;
  }
  rows = rowsShown();
  canvas.style.height = rows * ROW + "px";
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(rows * ROW * ratio);
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.font = '12px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace';
  drawn = 0;
  for (let i = zoomed; i;) box((i = tree.parent[i]), 0, width, true);
  const scale = width / size[zoomed], left = start[zoomed];
  walk(zoomed, (i) => {
    if (isNarrow(i, scale)) return false;
    box(i, (start[i] - left) * scale, size[i] * scale, false);
    return true;
  });
  document.body.dataset.drawn = drawn;
  document.body.dataset.milliseconds = (performance.now() - began).toFixed(1);
}

/* ---- what is under the pointer ---- */

const valueBefore = (value) => number.format(scaled(value)) + ", " + percent(value, wholeBefore);

function describe(i) {
  if (i < 0) return "\u00a0";
  const frame = tree.frame[i], module = data.modules[frame];
  let text = data.names[frame] + (module ? " [" + module + "]" : "") + ": " + number.format(tree.total[i]) + " " + data.unit +
    ", " + percent(tree.total[i], wholeNow) + "; self " + number.format(tree.self[i]) + ", " + percent(tree.self[i], wholeNow);
  if (data.diff)
    text += "; before " + valueBefore(tree.totalBefore[i]) + "; self before " + valueBefore(tree.before[i]) + "; change " + signed(change(i)) +
      "; change of self " + signed(tree.self[i] - scaled(tree.before[i]));
  return text;
}

function nodeAt(event) {
  const area = canvas.getBoundingClientRect(), row = Math.floor((event.clientY - area.top) / ROW);
  const depth = $("inverted").checked ? row : rows - 1 - row;
  const value = start[zoomed] + (event.clientX - area.left) / area.width * size[zoomed];
  let i = zoomed;
  if (depth < tree.depth[zoomed]) {
    while (tree.depth[i] > depth) i = tree.parent[i];
    return depth < 0 ? -1 : i;
  }
  while (tree.depth[i] < depth) {
    let child = i + 1;
    while (child < tree.end[i] && value >= start[child] + size[child]) child = tree.end[child];
    if (child >= tree.end[i]) return -1;
    i = child;
  }
  return i;
}

/* ---- actions ---- */

/* A graph that is higher than the window is shown where its root is. */
function showRoot() {
  window.scrollTo(0, $("inverted").checked ? 0 : document.documentElement.scrollHeight);
}

function zoom(i, silent) {
  if (i === zoomed || !size[i]) return;
  if (!silent) history_.push(zoomed);
  zoomed = i;
  cursor = -1;
  save();
  draw();
  showRoot();
}

function back() {
  if (history_.length) zoom(history_.pop(), true);
}

function search() {
  const text = $("search").value, output = $("matched");
  let pattern = null, sum = 0;
  matched = null;
  output.classList.remove("wrong");
  output.textContent = "";
  try {
    pattern = text ? new RegExp(text, $("case").checked ? "i" : "") : null;
  } catch (error) {
    output.classList.add("wrong");
    output.textContent = "not a regular expression";
  }
  if (pattern) {
    matched = new Uint8Array(data.names.length);
    data.names.forEach((name, frame) => (matched[frame] = pattern.test(name) ? 1 : 0));
    walk(0, (i) => {
      const counts = i && matched[tree.frame[i]];
      if (counts) sum += size[i];
      return !counts;
    });
    output.textContent = "Matched: " + percent(sum, size[0]);
  }
  save();
  draw();
  if (!$("functions").hidden) table();
}

/* ---- functions ---- */

let order = 0;

function functions() {
  const n = data.names.length, [self, total, selfBefore, totalBefore] = [0, 0, 0, 0].map(() => new Float64Array(n));
  const open = new Int32Array(n), path = [];
  let depth = 0;
  for (let i = 1; i < tree.n; i++) {
    const frame = tree.frame[i];
    for (; depth >= tree.depth[i]; depth--) open[path[depth]]--;
    depth = tree.depth[i];
    path[depth] = frame;
    self[frame] += tree.self[i];
    selfBefore[frame] += tree.before[i];
    if (!open[frame]++) {
      total[frame] += tree.total[i];
      totalBefore[frame] += tree.totalBefore[i];
    }
  }
  const list = [];
  for (let frame = 0; frame < n; frame++)
    if ((total[frame] || totalBefore[frame]) && ![PROCESS, DELIMITER, ALL].includes(data.kinds[frame]))
      list.push({ frame, self: self[frame], total: total[frame], selfBefore: selfBefore[frame], totalBefore: totalBefore[frame] });
  return list;
}

function cell(row, text, kind) {
  const element = document.createElement(kind || "td");
  element.textContent = text;
  row.appendChild(element);
  return element;
}

/* Each has a name, what it is sorted by and the text of a cell. */
const valueNow = (value) => number.format(value) + "  " + percent(value, wholeNow);
const valueOfBefore = (value) => number.format(scaled(value)) + "  " + percent(value, wholeBefore);
const columns = data.diff ? [
  ["change of self", (f) => f.self - scaled(f.selfBefore), signed],
  ["self before", (f) => f.selfBefore, valueOfBefore],
  ["self now", (f) => f.self, valueNow],
  ["change of total", (f) => f.total - scaled(f.totalBefore), signed],
  ["total before", (f) => f.totalBefore, valueOfBefore],
  ["total now", (f) => f.total, valueNow],
] : [["self", (f) => f.self, valueNow], ["total", (f) => f.total, valueNow]];

function table() {
  const head = $("functions").querySelector("thead"), body = $("functions").querySelector("tbody");
  const row = document.createElement("tr");
  columns.forEach(([name], i) => cell(row, name, "th").addEventListener("click", () => {
    order = i;
    table();
  }));
  cell(row, "function", "th");
  head.replaceChildren(row);
  const list = functions().filter((f) => !matched || matched[f.frame]), by = columns[order][1];
  list.sort((a, b) => Math.abs(by(b)) - Math.abs(by(a)));
  $("more").textContent = list.length > LINES ? number.format(list.length - LINES) + " more functions; a search finds them" : "";
  body.replaceChildren(...list.slice(0, LINES).map((f) => {
    const line = document.createElement("tr");
    for (const [, value, text] of columns) cell(line, text(value(f)));
    cell(line, data.names[f.frame] + (data.modules[f.frame] ? " [" + data.modules[f.frame] + "]" : ""));
    line.addEventListener("click", () => {
      $("search").value = "^" + data.names[f.frame].replace(/[.*+?^${}()|[\]\\]/g, "\\$&") + "$";
      switchTable(false);
      search();
    });
    return line;
  }));
}

function switchTable(on) {
  $("functions").hidden = !on;
  canvas.hidden = on;
  $("table").textContent = on ? "Graph" : "Table";
  if (on) table();
  else draw();
  if (on) window.scrollTo(0, 0);
  else showRoot();
}

/* ---- the address: #z=PATH&s=EXPRESSION… ---- */

function pathOf(i) {
  const path = [];
  for (; i; i = tree.parent[i]) {
    let index = 0;
    for (let child = tree.parent[i] + 1; child < i; child = tree.end[child]) index++;
    path.unshift(index);
  }
  return path.join(".");
}

function nodeOf(path) {
  let i = 0;
  for (const step of path ? path.split(".") : []) {
    let child = i + 1;
    for (let k = 0; k < Number(step) && child < tree.end[i]; k++) child = tree.end[child];
    if (child >= tree.end[i]) return 0;
    i = child;
  }
  return i;
}

let restoring = false;

function save() {
  if (restoring) return;
  const state = new URLSearchParams();
  if (zoomed) state.set("z", pathOf(zoomed));
  if ($("search").value) state.set("s", $("search").value);
  if ($("case").checked) state.set("i", "1");
  if ($("reverse").checked) state.set("r", "1");
  if ($("inverted").checked !== data.inverted) state.set("v", $("inverted").checked ? "1" : "0");
  if ($("side").value !== "now") state.set("w", $("side").value);
  if ($("group").value !== data.group) state.set("g", $("group").value);
  history.replaceState(null, "", "#" + state.toString());
}

function restore() {
  const state = new URLSearchParams(location.hash.slice(1));
  restoring = true;
  $("search").value = state.get("s") || "";
  $("case").checked = state.get("i") === "1";
  $("reverse").checked = state.get("r") === "1";
  $("inverted").checked = state.has("v") ? state.get("v") === "1" : data.inverted;
  $("side").value = data.diff && state.get("w") === "before" ? "before" : "now";
  $("group").value = groups.includes(state.get("g")) ? state.get("g") : data.group;
  shape();
  zoomed = nodeOf(state.get("z"));
  if (!size[zoomed]) zoomed = 0;
  search();
  restoring = false;
}

/* ---- events ---- */

function reshape() {
  shape();
  search();
  showRoot();
}

function setTheme(dark) {
  document.documentElement.classList.toggle("dark", dark);
  $("theme").textContent = dark ? "Light" : "Dark";
}

function move(key) {
  let i = cursor;
  const up = key === ($("inverted").checked ? "ArrowDown" : "ArrowUp");
  if (cursor < 0) i = zoomed;
  else if (key === "ArrowLeft" || key === "ArrowRight") {
    const siblings = [];
    for (let child = tree.parent[i] + 1; i && child < tree.end[tree.parent[i]]; child = tree.end[child]) if (size[child]) siblings.push(child);
    i = siblings[siblings.indexOf(i) + (key === "ArrowLeft" ? -1 : 1)] || i;
  } else if (up) {
    let widest = i;
    for (let child = i + 1; child < tree.end[i]; child = tree.end[child])
      if (size[child] && (widest === i || size[child] > size[widest])) widest = child;
    i = widest;
  } else i = tree.parent[i];
  cursor = i;
  $("details").textContent = describe(i);
  draw();
}

canvas.addEventListener("mousemove", (event) => ($("details").textContent = canvas.title = describe(nodeAt(event))));
canvas.addEventListener("mouseleave", () => ($("details").textContent = "\u00a0"));
canvas.addEventListener("click", (event) => {
  const i = nodeAt(event);
  if (i >= 0) zoom(i);
});
window.addEventListener("keydown", (event) => {
  const typing = event.target === $("search");
  const onGraph = !canvas.hidden && (event.target === canvas || event.target === document.body);
  if (event.key === "Escape") zoom(0);
  else if ((event.key === "/" && !typing) || (event.ctrlKey && event.key === "f")) $("search").focus();
  else if (event.key === "Backspace" && !typing) back();
  else if (event.key === "Enter" && onGraph && cursor >= 0) zoom(cursor);
  else if (event.key.startsWith("Arrow") && onGraph) move(event.key);
  else return;
  event.preventDefault();
});
$("reset").addEventListener("click", () => zoom(0));
$("back").addEventListener("click", back);
$("search").addEventListener("input", search);
$("case").addEventListener("change", search);
$("group").addEventListener("change", reshape);
$("reverse").addEventListener("change", reshape);
$("side").addEventListener("change", () => {
  setSide();
  if (!size[zoomed]) zoomed = 0;
  history_ = [];
  cursor = -1;
  search();
  showRoot();
});
$("inverted").addEventListener("change", () => {
  save();
  draw();
  showRoot();
});
$("table").addEventListener("click", () => switchTable($("functions").hidden));
$("theme").addEventListener("click", () => setTheme(!document.documentElement.classList.contains("dark")));
window.addEventListener("resize", draw);
window.addEventListener("hashchange", restore);
$("title").textContent = data.title;
$("side").parentElement.hidden = !data.diff;
if (!hasProcesses) $("group").parentElement.hidden = true;
for (const option of [...$("group").options]) if (!groups.includes(option.value)) option.remove();
setTheme(window.matchMedia("(prefers-color-scheme: dark)").matches);
restore();
showRoot();
