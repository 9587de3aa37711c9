/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of the page that draw nothing: notes, legend, which frames are shown, one function, the stack as text. */
"use strict";

const KERNEL = 1;
const KIND_NAMES = ["user", "kernel", "JIT", "inlined", "waker", "process", "not known"];

/* ---- around the graph ---- */

let firstNote; /* a warning, if there is one */

/* A picture that is passed on keeps what the run said about its numbers. The first warning is seen at once, the rest at a click. */
function showNotes() {
  const isWarning = (note) => note !== data.about && !/^((before|now): )?NOTE: /.test(note), summary = $("notes").querySelector("summary");
  const first = data.notes.find(isWarning) || data.notes[0] || data.about, more = data.notes.length - 1;
  firstNote = first;
  if (data.about) data.notes.push(data.about);
  for (const note of data.notes) {
    const item = document.createElement("li");
    item.textContent = note;
    item.className = note === data.about ? "about" : isWarning(note) ? "warning" : "";
    $("notes").querySelector("ul").appendChild(item);
  }
  $("notes").hidden = !first;
  if (first && isWarning(first)) summary.className = "warning";
  $("notes").addEventListener("toggle", () => (summary.textContent = $("notes").open ? "about this profile" : (more > 0 ? "(" + (more + 1) + ") " : "") + first));
  $("notes").dispatchEvent(new Event("toggle"));
}

/* The first colour of each kind stands for all of them. In a difference colours have another meaning. */
function showLegend() {
  const entry = (color, name) => {
    const sample = document.createElement("i"), label = document.createElement("b");
    sample.style.background = color;
    label.textContent = name;
    $("legend").append(sample, label);
  };
  if (data.diff) {
    entry(mix(1, 245, 110, 90), data.negate ? "shrank" : "grew");
    entry(mix(1, 90, 160, 245), data.negate ? "grew" : "shrank");
    return;
  }
  KIND_NAMES.forEach((name, kind) => {
    const frame = data.kinds.indexOf(kind);
    if (frame >= 0) entry(colors[frame], name);
  });
}

/* ---- boxes ---- */

/* Shortens a name in the middle: both ends say more than the beginning alone. */
function cut(name, room) {
  const letters = Array.from(name), head = Math.floor((room - 2) / 2);
  if (letters.length <= room) return name;
  return letters.slice(0, head).join("") + ".." + letters.slice(head + 2 - room).join("");
}

function isShown(frame) {
  const part = $("part").value, kind = data.kinds[frame];
  if (part === "all") return true;
  return kind !== DELIMITER && (kind === KERNEL) === (part === "kernel");
}

/* ---- source lines: each line of a function is a frame, and a function can be one box ---- */

const hasLines = data.sources !== undefined;
const lineOf = (frame) => data.sources[frame] + ":" + (data.lines[frame] || "?");
const mergesLines = () => hasLines && !$("lines").checked;

/* The first frame of a function stands for it: the tool has sorted them by name and kind. */
const functionNames = data.names, functionOf = [];
for (let i = 0; i < data.names.length; i++)
  functionOf.push(i && data.names[i] === data.names[i - 1] && data.kinds[i] === data.kinds[i - 1] ? functionOf[i - 1] : i);
const lineNames = !hasLines ? functionNames :
  functionNames.map((name, i) => (data.sources[i] ? name + ":" + lineOf(i).replace(/^.*\//, "") : name));

/* What each line of a function has. What calls itself counts once. */
function linesOf(wanted) {
  const lines = new Map();
  walk(0, (i) => {
    const frame = source.frame[i], found = i && functionOf[frame] === wanted;
    if (found && data.sources[frame] && source.total[i]) lines.set(frame, (lines.get(frame) || 0) + source.total[i]);
    return !found;
  }, source);
  return lines;
}

/* ---- one function: callers above, callees below ---- */

let chosen = "";

const selected = () => (cursor >= 0 ? cursor : zoomed);

/* How much each caller and each callee has of a function. What calls itself counts once. */
function around(frame) {
  const tree = callTree();
  const callers = new Map(), callees = new Map();
  let total = 0;
  const add = (map, key, value) => map.set(key, (map.get(key) || 0) + value), of = (i) => functionOf[tree.frame[i]];
  for (let i = 1; i < tree.n;) {
    if (of(i) !== frame) {
      i++;
      continue;
    }
    const path = [];
    total += tree.total[i];
    if (tree.parent[i]) add(callers, of(tree.parent[i]), tree.total[i]);
    for (let k = i + 1; k < tree.end[i]; k++) {
      const callee = of(k), depth = tree.depth[k] - tree.depth[i];
      path.length = depth - 1;
      const direct = of(tree.parent[k]) === frame && callee !== frame && !path.includes(callee);
      path.push(direct ? callee : -1);
      if (direct) add(callees, callee, tree.total[k]);
    }
    i = tree.end[i];
  }
  return { total, callers, callees };
}

/* A bar behind a name. */
function share(element, value) {
  const end = (100 * value / wholeNow).toFixed(2) + "%";
  element.style.background = "linear-gradient(to right, var(--share) " + end + ", transparent " + end + ")";
}

/* Marks a function, with all its source lines, and no other one whose name differs only in case. */
function findInGraph(name) {
  $("case").checked = false;
  $("search").value = "^" + name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") + (hasLines ? "(:[^:]*:[0-9?]+)?$" : "$");
  switchTable(false);
  search();
}

function showFunction(name) {
  const frame = functionNames.indexOf(name), body = $("functions").querySelector("tbody"), head = document.createElement("tr");
  if (frame < 0) return;
  const { total, callers, callees } = around(frame), lines = [];
  const line = (what, other, value) => {
    const row = document.createElement("tr");
    cell(row, what);
    cell(row, valueNow(value));
    share(cell(row, functionNames[other] + (data.modules[other] ? " [" + data.modules[other] + "]" : "")), value);
    if (other === frame) row.className = "chosen";
    row.addEventListener("click", () => (other === frame ? findInGraph(name) : showFunction(functionNames[other])));
    lines.push(row);
  };
  const sorted = (map) => [...map].sort((a, b) => b[1] - a[1]).slice(0, LINES);
  for (const [other, value] of sorted(callers).reverse()) line("called by", other, value);
  line("", frame, total);
  for (const [at, value] of sorted(hasLines ? linesOf(frame) : new Map())) {
    const row = document.createElement("tr");
    cell(row, "at");
    cell(row, valueNow(value));
    share(cell(row, lineOf(at)), value);
    lines.push(row);
  }
  for (const [other, value] of sorted(callees)) line("calls", other, value);
  $("functions").hidden = false;
  canvas.hidden = true;
  for (const title of ["", "total", "function"]) cell(head, title, "th");
  $("functions").querySelector("thead").replaceChildren(head);
  $("more").textContent = "";
  body.replaceChildren(...lines);
  body.querySelector(".chosen").scrollIntoView({ block: "center" });
  chosen = name;
  $("view").textContent = "Graph";
  save();
}

function switchView() {
  if (chosen) switchTable(false);
  else if (selected()) showFunction(functionNames[tree.frame[selected()]]);
  else $("details").textContent = "select a function first: click a box, or move to it with the arrow keys";
}

/* ---- the stack as text ---- */

/* Folded, root first. */
function stackOf(i) {
  const names = [];
  for (; i; i = tree.parent[i]) names.unshift(data.names[tree.frame[i]]);
  return names.join(";");
}

/* The value is that of the box. */
const stackText = () => stackOf(selected()) + " " + tree.total[selected()];

const copyStack = () => copyText(stackText());

function copyText(text) {
  const area = document.createElement("textarea");
  area.value = text;
  document.body.appendChild(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  $("details").textContent = (copied ? "copied: " : "cannot copy: ") + text;
}

/* ---- from match to match ---- */

/* To the next outermost match that can be seen, in the order of the graph; after the last comes the first. */
function goToMatch(step) {
  const seen = new Set();
  if (!matched || canvas.hidden) return;
  eachPanel((left, width) => {
    const scale = width / size[zoomed];
    if (size[zoomed]) walk(zoomed, (i) => {
      if (isNarrow(i, scale)) return false;
      const hit = i && matched[tree.frame[i]];
      if (hit) seen.add(i);
      return !hit;
    });
  });
  const hits = [...seen].sort((a, b) => a - b);
  if (!hits.length) return;
  const next = step > 0 ? hits.findIndex((i) => i > cursor) : hits.findLastIndex((i) => i < cursor);
  cursor = hits[next >= 0 ? next : step > 0 ? 0 : hits.length - 1];
  draw();
  $("details").textContent = number.format(hits.indexOf(cursor) + 1) + " of " + number.format(hits.length) + ": " + describe(cursor);
  const y = canvas.getBoundingClientRect().top + rowY(tree.depth[cursor]), top = document.querySelector("header").offsetHeight;
  if (y < top || y > window.innerHeight - 60) window.scrollBy(0, y - (top + window.innerHeight) / 2);
}

/* ---- beside the pointer ---- */

function tellBox(i) {
  const frame = tree.frame[i], total = tree.total[i], module = data.modules[frame], parent = tree.parent[i];
  const texts = [data.names[frame] + (module ? " [" + module + "]" : "")];
  if (hasLines && data.sources[frame] && !mergesLines()) texts.push(lineOf(frame));
  texts.push(number.format(total) + " " + data.unit + ", self " + number.format(tree.self[i]));
  if (data.diff) texts.push("before " + valueBefore(tree.totalBefore[i]) + "; change " + signed(change(i)));
  texts.push(percent(total, wholeNow) + (selection ? " of the selected times" : " of all"));
  if (i && total && data.names[tree.frame[parent]] !== "all") texts.push(percent(total, tree.total[parent]) + " of " + cut(data.names[tree.frame[parent]], 40));
  if (zoomed && tree.end[zoomed] > i && i > zoomed) texts.push(percent(total, tree.total[zoomed]) + " of what is shown");
  return texts;
}

function pointAt(event, i) {
  const tip = $("tip");
  tip.hidden = i < 0;
  if (i < 0) return;
  tip.replaceChildren(...tellBox(i).map((text) => Object.assign(document.createElement("p"), { textContent: text })));
  const { width, height } = tip.getBoundingClientRect();
  const below = event.clientY + 20 + height < window.innerHeight - 30;
  tip.style.left = Math.max(Math.min(event.clientX + 14, window.innerWidth - width - 6), 0) + "px";
  tip.style.top = Math.max(below ? event.clientY + 20 : event.clientY - height - 12, 0) + "px";
}

/* ---- keys ---- */

function showHelp() {
  const lines = [["/", "search"], ["n, N", "the next match, the one before"], ["arrows, Enter", "move to a box, zoom"], ["Escape", "reset zoom, then show all times"], ["Backspace", "the zoom before"],
    ["f", "callers and callees of the selected function"], ["t", "table of functions"], ["c", "copy the selected stack"],
    ["k", "without the kernel, kernel only, all frames"], ["w", "widest siblings first"], ["right click", "the menu of a box: copy, save as PNG or folded stacks"]];
  if (hasLines) lines.push(["l", "each source line, or each function"]);
  if (data.diff) lines.push(["b", "widths: now, before, both"]);
  if (times) lines.push(["left, right in the strip", "select other times; with Shift, more of them"]);
  $("help").querySelector("tbody").replaceChildren(...lines.map(([key, what]) => {
    const row = document.createElement("tr");
    cell(row, key);
    cell(row, what);
    return row;
  }));
  $("help").showModal();
}

const keys = {
  "?": showHelp,
  c: copyStack,
  f: switchView,
  k() {
    $("part").selectedIndex = ($("part").selectedIndex + 1) % 3;
    reshape();
  },
  n: () => goToMatch(1),
  N: () => goToMatch(-1),
  t: () => switchTable($("functions").hidden),
  w: () => $("weight").click(),
  l() {
    if (hasLines) $("lines").click();
  },
  b() {
    if (!data.diff) return;
    $("side").selectedIndex = ($("side").selectedIndex + 1) % 3;
    $("side").dispatchEvent(new Event("change"));
  },
};
