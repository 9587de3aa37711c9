/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A flame graph on a canvas. What is narrower than half a pixel is skipped with all that is above it, so drawing does not
 * depend on the number of stacks.
 */
"use strict";
const canvas = $("canvas"), pen = canvas.getContext("2d");
const ROW = 18, GLYPH = 7.2, LEAST = 0.5, GAP = 12;
const PROCESS = 5, DELIMITER = 7, ALL = 8;
const LINES = 500; /* of the table */

/* ---- numbers ---- */

const number = new Intl.NumberFormat("en-US");
/* Rounded as percent_add() in C does. */
const percent = (part, whole) => (Math.floor((whole ? 100 * part / whole : 0) * 100 + 0.5) / 100).toFixed(2) + "%";
const signed = (value) => (value > 0 ? "+" : "") + number.format(value);

/* The process or the command of a thread "comm (pid/tid)" or process "comm (pid)"; groups that the data has are as they are. */
const made = new Map();
function rootOf(frame, group) {
  if (group === data.finest) return frame;
  const name = group === "pid" ? data.names[frame].replace(/ \((\d+)\/\d+\)$/, " ($1)") : data.names[frame].replace(/ \(\d+(\/\d+)?\)$/, "");
  if (!made.has(name)) {
    made.set(name, data.names.length);
    for (const names of new Set([functionNames, lineNames])) names.push(name);
    functionOf.push(functionOf.length);
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
let wholeNow = base.total[0], wholeBefore = base.totalBefore[0];
let source = base, upright = null; /* what the graph is made of; callTree() */
let tree = base, zoomed = 0, cursor = -1, matched = null, history_ = [], largest = 0, drawn = 0;
/* What is drawn: one graph or, in a difference, two beside each other. `size` and `start` of the boxes are those of one of them. */
let panels = [], size = base.total, start = base.start;

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
function renamed(base) {
  const tops = [];
  for (let i = 1; i < base.n; i = base.end[i]) tops.push(i);
  const names = tops.map((i) => (data.kinds[base.frame[i]] === PROCESS ? rootOf(base.frame[i], "comm") : base.frame[i]));
  if (new Set(names).size !== names.length) return null;
  const frame = base.frame.slice();
  tops.forEach((i, k) => (frame[i] = names[k]));
  return Object.assign({}, base, { frame });
}

/* The graph with the root first: in one of callers, self values and callers are not where they were. */
function callTree() {
  if (!$("reverse").checked) return tree;
  upright = upright || rebuild(source, hasProcesses ? $("group").value : "none", false);
  return upright;
}

function shape() {
  const group = hasProcesses ? $("group").value : "none", reverse = $("reverse").checked;
  const asItIs = !reverse && !$("weight").checked && $("part").value === "all" && !mergesLines();
  data.names = mergesLines() ? functionNames : lineNames;
  source = duringSelection(base);
  upright = null;
  wholeNow = source.total[0];
  if (asItIs && (group === data.finest || !hasProcesses)) tree = source;
  else tree = (asItIs && group === "comm" && renamed(source)) || rebuild(source, group, reverse);
  zoomed = 0;
  cursor = -1;
  history_ = [];
  largest = 0;
  setSide();
  showMissing();
  for (let i = 1; data.diff && i < tree.n; i++) largest = Math.max(largest, Math.abs(change(i)));
}

function setSide() {
  const now = { size: tree.total, start: tree.start }, before = { size: tree.totalBefore, start: tree.startBefore };
  panels = { now: [now], before: [before], both: [before, now] }[$("side").value];
  $("sides").hidden = panels.length < 2;
  use(panels[panels.length - 1]);
}

function use(panel) {
  ({ size, start } = panel);
}

/* Calls `what` with `size` and `start` of each graph, and leaves those of the last. */
function eachPanel(what) {
  const width = (canvas.clientWidth - GAP * (panels.length - 1)) / panels.length;
  panels.forEach((panel, k) => {
    use(panel);
    what(k * (width + GAP), width);
  });
}

/* What a box weighs where it is drawn; 0: it is not. */
const drawnSize = (i) => panels.reduce((sum, panel) => sum + panel.size[i], 0);

/* What the widths do not show. */
function showMissing() {
  const nr = data.diff ? gone() : 0, parts = [data.subtitle];
  if (data.note) parts.push(data.note);
  if (nr) parts.push(number.format(nr) + " " + data.unit + " before (" + percent(nr, wholeBefore) + ") are in stacks that no longer occur");
  $("subtitle").textContent = parts.join("; ");
}

function mix(share, r, g, b) {
  const part = (c) => Math.round(236 + (c - 236) * share);
  return "rgb(" + part(r) + "," + part(g) + "," + part(b) + ")";
}

function colorOf(i) {
  if (matched && matched[tree.frame[i]]) return "#e86bf0";
  if (!data.diff || !i) return colors[tree.frame[i]];
  const share = largest ? Math.sqrt(Math.abs(change(i)) / largest) : 0;
  if (!change(i)) return "#ececec";
  return (change(i) > 0) !== data.negate ? mix(share, 245, 110, 90) : mix(share, 90, 160, 245);
}

/* ---- drawing ---- */

/* Too narrow to be seen, or narrower than was asked for: not drawn, but in every number. */
function isNarrow(i, scale) {
  return size[i] * scale < LEAST || (i && size[i] * 100000 < data.least * size[0]);
}

function rowsShown(width) {
  const scale = width / size[zoomed];
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
    pen.fillStyle = "#000";
    pen.fillText(cut(data.names[tree.frame[i]], room), x + 3, y + 13);
  }
  pen.globalAlpha = 1;
}

function draw() {
  drawStrip();
  drawGraph();
}

function drawPanel(left, width) {
  if (!size[zoomed]) return;
  for (let i = zoomed; i;) box((i = tree.parent[i]), left, width, true);
  const scale = width / size[zoomed], first = start[zoomed];
  walk(zoomed, (i) => {
    if (isNarrow(i, scale)) return false;
    box(i, left + (start[i] - first) * scale, size[i] * scale, false);
    return true;
  });
}

function drawGraph() {
  const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, began = performance.now();
  if (canvas.hidden) return;
  if (!drawnSize(0)) {
    canvas.style.height = 0;
    $("details").textContent = "no stacks";
    return;
  }
  rows = 1;
  eachPanel((left, panelWidth) => (rows = Math.max(rows, size[zoomed] ? rowsShown(panelWidth) : 1)));
  canvas.style.height = rows * ROW + "px";
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(rows * ROW * ratio);
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.font = '12px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace';
  drawn = 0;
  eachPanel(drawPanel);
  document.body.dataset.drawn = drawn;
  document.body.dataset.milliseconds = (performance.now() - began).toFixed(1);
}

/* ---- what is under the pointer ---- */

const valueBefore = (value) => number.format(scaled(value)) + ", " + percent(value, wholeBefore);

function describe(i) {
  if (i < 0) return "\u00a0";
  const frame = tree.frame[i], module = data.modules[frame];
  let text = data.names[frame] + (hasLines && data.sources[frame] && !mergesLines() ? " at " + lineOf(frame) : "") + (module ? " [" + module + "]" : "") + ": " + number.format(tree.total[i]) + " " + data.unit +
    ", " + percent(tree.total[i], wholeNow) + "; self " + number.format(tree.self[i]) + ", " + percent(tree.self[i], wholeNow);
  if (data.diff)
    text += "; before " + valueBefore(tree.totalBefore[i]) + "; self before " + valueBefore(tree.before[i]) + "; change " + signed(change(i)) +
      "; change of self " + signed(tree.self[i] - scaled(tree.before[i]));
  return text;
}

function nodeAt(event) {
  const area = canvas.getBoundingClientRect(), row = Math.floor((event.clientY - area.top) / ROW);
  const depth = $("inverted").checked ? row : rows - 1 - row, x = event.clientX - area.left;
  let found = -1;
  eachPanel((left, width) => {
    if (x >= left && x < left + width) found = nodeIn(depth, (x - left) / width);
  });
  return found;
}

function nodeIn(depth, share) {
  const value = start[zoomed] + share * size[zoomed];
  let i = zoomed;
  if (!size[zoomed]) return -1;
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
  if (canvas.hidden) return;
  window.scrollTo(0, $("inverted").checked ? 0 : document.documentElement.scrollHeight);
}

function zoom(i, silent) {
  if (i === zoomed || !drawnSize(i)) return;
  if (!silent) history_.push(zoomed);
  zoomed = i;
  cursor = -1;
  $("tip").hidden = true;
  save(true);
  draw();
  showRoot();
}

/* Step by step: the graph, then the times. */
function unzoom() {
  if (zoomed) zoom(0);
  else if (selection) selectTimes(null);
}

function back() {
  if (history_.length) zoom(history_.pop(), true);
}

/* Nested matches count once. */
function matchedOf(sizes) {
  let sum = 0;
  walk(0, (i) => {
    const counts = i && matched[tree.frame[i]];
    if (counts) sum += sizes[i];
    return !counts;
  });
  return sum;
}

function search() {
  const text = $("search").value, output = $("matched");
  let pattern = null;
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
    output.textContent = "Matched: " + panels.map((panel) => percent(matchedOf(panel.size), panel.size[0])).join(" → ");
  }
  save();
  draw();
  if (chosen) showFunction(chosen);
  else if (!$("functions").hidden) table();
}

/* ---- functions ---- */

let sortedBy = 0;

function functions() {
  const tree = callTree();
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
    sortedBy = i;
    table();
  }));
  cell(row, "function", "th");
  head.replaceChildren(row);
  const list = functions().filter((f) => !matched || matched[f.frame]), by = columns[sortedBy][1];
  list.sort((a, b) => Math.abs(by(b)) - Math.abs(by(a)));
  $("more").textContent = list.length > LINES ? number.format(list.length - LINES) + " more functions; a search finds them" : "";
  body.replaceChildren(...list.slice(0, LINES).map((f) => {
    const line = document.createElement("tr");
    for (const [, value, text] of columns) cell(line, text(value(f)));
    share(cell(line, data.names[f.frame] + (data.modules[f.frame] ? " [" + data.modules[f.frame] + "]" : "")), data.diff ? f.total : by(f));
    line.addEventListener("click", () => showFunction(functionNames[f.frame]));
    return line;
  }));
}

function switchTable(on) {
  chosen = "";
  $("view").textContent = "Function";
  $("functions").hidden = !on;
  canvas.hidden = on;
  $("table").textContent = on ? "Graph" : "Table";
  if (on) table();
  else draw();
  if (on) window.scrollTo(0, 0);
  else showRoot();
  save();
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

/* `entry`: the browser's Back comes here again. */
function save(entry) {
  if (restoring) return;
  const state = new URLSearchParams();
  if (zoomed) state.set("z", pathOf(zoomed));
  if ($("search").value) state.set("s", $("search").value);
  if ($("case").checked) state.set("i", "1");
  if ($("reverse").checked) state.set("r", "1");
  if ($("inverted").checked !== data.inverted) state.set("v", $("inverted").checked ? "1" : "0");
  if ($("side").value !== "now") state.set("w", $("side").value);
  if ($("group").value !== data.group) state.set("g", $("group").value);
  if ($("part").value !== "all") state.set("k", $("part").value);
  if ($("weight").checked) state.set("o", "1");
  if (mergesLines()) state.set("l", "0");
  if (chosen) state.set("f", chosen);
  if (selection) state.set("t", selection.join("-"));
  if ($("heat").checked) state.set("h", "1");
  const address = "#" + state.toString();
  if (address === (location.hash || "#")) return;
  try {
    history[entry ? "pushState" : "replaceState"](null, "", address);
  } catch (error) { /* a browser allows only so many in half a minute */
  }
}

function restore() {
  const state = new URLSearchParams(location.hash.slice(1));
  restoring = true;
  $("search").value = state.get("s") || "";
  $("case").checked = state.get("i") === "1";
  $("reverse").checked = state.get("r") === "1";
  $("inverted").checked = state.has("v") ? state.get("v") === "1" : data.inverted;
  $("side").value = data.diff && ["before", "both"].includes(state.get("w")) ? state.get("w") : "now";
  $("group").value = groups.includes(state.get("g")) ? state.get("g") : data.group;
  $("part").value = ["user", "kernel"].includes(state.get("k")) ? state.get("k") : "all";
  $("weight").checked = state.get("o") === "1";
  $("lines").checked = state.get("l") !== "0";
  $("heat").checked = state.get("h") === "1";
  selection = readSelection(state.get("t"));
  shape();
  zoomed = nodeOf(state.get("z"));
  if (!drawnSize(zoomed)) zoomed = 0;
  search();
  if (state.get("f")) showFunction(state.get("f"));
  else if (chosen) switchTable(false);
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
    for (let child = tree.parent[i] + 1; i && child < tree.end[tree.parent[i]]; child = tree.end[child]) if (drawnSize(child)) siblings.push(child);
    i = siblings[siblings.indexOf(i) + (key === "ArrowLeft" ? -1 : 1)] || i;
  } else if (up) {
    let widest = i;
    for (let child = i + 1; child < tree.end[i]; child = tree.end[child])
      if (drawnSize(child) && (widest === i || drawnSize(child) > drawnSize(widest))) widest = child;
    i = widest;
  } else i = tree.parent[i];
  cursor = i;
  $("details").textContent = describe(i);
  draw();
}

canvas.addEventListener("mousemove", (event) => {
  const i = nodeAt(event);
  $("details").textContent = describe(i);
  pointAt(event, i);
});
canvas.addEventListener("mouseleave", () => {
  $("details").textContent = "\u00a0";
  $("tip").hidden = true;
});
canvas.addEventListener("click", (event) => {
  const i = nodeAt(event);
  if (i >= 0) zoom(i);
});
window.addEventListener("keydown", (event) => {
  const typing = event.target === $("search");
  const onGraph = !canvas.hidden && (event.target === canvas || event.target === document.body);
  if ($("help").open || $("menu").contains(event.target)) return;
  if (event.key === "Escape") unzoom();
  else if ((event.key === "/" && !typing) || (event.ctrlKey && event.key === "f")) $("search").focus();
  else if (event.key === "Backspace" && !typing) back();
  else if (event.key === "Enter" && typing) goToMatch(event.shiftKey ? -1 : 1);
  else if (event.key === "Enter" && onGraph && cursor >= 0) zoom(cursor);
  else if (event.key.startsWith("Arrow") && onGraph) move(event.key);
  else if (!typing && !event.ctrlKey && !event.altKey && !event.metaKey && keys[event.key]) keys[event.key]();
  else return;
  event.preventDefault();
});
$("part").addEventListener("change", reshape);
$("weight").addEventListener("change", reshape);
$("lines").addEventListener("change", reshape);
$("ask").addEventListener("click", showHelp);
$("view").addEventListener("click", switchView);
$("copy").addEventListener("click", copyStack);
$("reset").addEventListener("click", () => zoom(0));
$("back").addEventListener("click", back);
$("search").addEventListener("input", search);
$("case").addEventListener("change", search);
$("group").addEventListener("change", reshape);
$("reverse").addEventListener("change", reshape);
$("side").addEventListener("change", () => {
  setSide();
  if (!drawnSize(zoomed)) zoomed = 0;
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
$("theme").addEventListener("click", () => {
  setTheme(!document.documentElement.classList.contains("dark"));
  draw();
});
window.addEventListener("resize", draw);
window.addEventListener("hashchange", restore);
$("title").textContent = data.title;
[wholeBefore, wholeNow].forEach((whole, k) => ($("sides").children[k].textContent = ["before", "now"][k] + ": " + number.format(whole) + " " + data.unit));
serveStrip();
serveMenu();
showNotes();
showLegend();
$("lines").parentElement.hidden = !hasLines;
$("side").parentElement.hidden = !data.diff;
if (!hasProcesses) $("group").parentElement.hidden = true;
for (const option of [...$("group").options]) if (!groups.includes(option.value)) option.remove();
setTheme(window.matchMedia("(prefers-color-scheme: dark)").matches);
restore();
showRoot();
