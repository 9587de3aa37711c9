/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When the samples were taken: a strip of columns, or a heat map with a column for each second. Dragging over it selects the
 * times that the graph and the tables show. Times are in microseconds since the beginning.
 */
"use strict";

const STRIP_BARS = 44, STRIP_HEAT = 80, STRIP_SCALE = 15;
const HEAT_ROWS = 20, SECOND = 1e6;
const strip = $("strip"), brush = strip.getContext("2d");
const times = data.times ? decodeTimes(data.times) : null;
let selection = null; /* [from, to) */
let cells = null, anchor = -1, hovered = -1;

function decodeTimes({ n, moments, edges, clock }) {
  const next = reader(moments), at = new Float64Array(n), node = new Int32Array(n), value = new Float64Array(n);
  for (let i = 0, time = 0; i < n; i++) {
    at[i] = time += next();
    node[i] = next();
    value[i] = next();
  }
  return { n, at, node, value, edges, clock, end: edges.length ? edges[edges.length - 1] : at[n - 1] + 1 };
}

/* The stacks of the selected times only. The nodes stay, those of other times without a value. */
function duringSelection(base) {
  if (!selection) return base;
  const self = new Float64Array(base.n), none = allocate(base.n);
  for (let i = 0; i < times.n; i++)
    if (times.at[i] >= selection[0] && times.at[i] < selection[1]) self[times.node[i]] += times.value[i];
  return complete(Object.assign(none, { frame: base.frame, depth: base.depth, parent: base.parent, self }));
}

/* ---- columns ---- */

/* The next of 1, 2, 5, 10, 20, … */
function round(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  return [1, 2, 5, 10].map((digit) => digit * power).find((step) => step >= least);
}

const isHeat = () => $("heat").checked && !times.edges.length;

/* The edges of the cells; with several rows each column has as many cells, the first at the bottom. */
function makeCells(width) {
  const rows = isHeat() ? HEAT_ROWS : 1, edges = times.edges.slice();
  const most = isHeat() ? width / 4 : Math.min(width / 5, Math.max(20, times.n / 4));
  const column = isHeat() ? Math.max(SECOND, round(times.end / most)) : round(times.end / most);
  const nr = edges.length ? edges.length - 1 : rows * Math.ceil(times.end / column);
  for (let i = 0; !times.edges.length && i <= nr; i++) edges.push(i * column / rows);
  cells = { nr, rows, edges, columns: nr / rows, sum: new Float64Array(nr), marked: new Float64Array(nr), largest: 0 };
}

/* What is marked in the strip: the matches of the search, else what the graph is zoomed to. */
function markedNodes() {
  if (!matched && !zoomed) return null;
  const marked = new Uint8Array(tree.n);
  for (let i = 1; i < tree.n; i++) marked[i] = marked[tree.parent[i]] || (matched ? matched[tree.frame[i]] : i === zoomed) ? 1 : 0;
  return marked;
}

function fillCells() {
  const marked = markedNodes();
  for (let i = 0, cell = 0; i < times.n; i++) {
    while (cell < cells.nr - 1 && times.at[i] >= cells.edges[cell + 1]) cell++;
    cells.sum[cell] += times.value[i];
    /* Of other times the tree may have no nodes. */
    if (marked && isSelected(cell) && marked[tree.place ? tree.place[times.node[i]] : times.node[i]]) cells.marked[cell] += times.value[i];
  }
  for (const sum of cells.sum) cells.largest = Math.max(cells.largest, sum);
}

const isSelected = (cell) => !selection || (cells.edges[cell] >= selection[0] && cells.edges[cell] < selection[1]);

/* ---- drawing ---- */

function seconds(time) {
  return (time / SECOND).toFixed(times.end >= 100 * SECOND ? 1 : times.end >= SECOND ? 2 : 4) + " s";
}

const styleOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);

function drawBars(width, height) {
  for (let i = 0; i < cells.nr; i++) {
    const x = cells.edges[i] / times.end * width, w = Math.min(cells.edges[i + 1] / times.end * width, width) - x;
    const bar = (value, color) => {
      const h = cells.largest ? value / cells.largest * (height - 2) : 0;
      brush.fillStyle = color;
      brush.fillRect(x, height - h, Math.max(w - 1, 0.5), h);
    };
    brush.globalAlpha = isSelected(i) ? 1 : 0.35;
    bar(cells.sum[i], styleOf("--bar"));
    bar(cells.marked[i], matched ? "#e86bf0" : "#e07b28");
  }
}

function drawHeat(width, height) {
  const w = width / cells.columns, h = height / cells.rows;
  for (let i = 0; i < cells.nr; i++) {
    const shown = cells.marked.some((value) => value) ? cells.marked : cells.sum, share = shown[i] / cells.largest;
    if (!shown[i]) continue;
    brush.globalAlpha = (0.15 + 0.85 * share) * (isSelected(i) ? 1 : 0.3);
    brush.fillStyle = matched ? "#e86bf0" : "#d8431f";
    brush.fillRect(Math.floor(i / cells.rows) * w, height - (i % cells.rows + 1) * h, Math.max(w - 0.5, 0.5), h - 0.5);
  }
}

function drawScale(width, height) {
  const end = isHeat() ? cells.edges[cells.nr] : times.end, step = round(end / Math.max(width / 110, 1));
  brush.globalAlpha = 1;
  brush.fillStyle = styleOf("--line");
  brush.fillRect(0, height, width, 1);
  brush.fillStyle = styleOf("--ink");
  for (let time = 0; time < end - step / 2; time += step) {
    brush.fillRect(time / end * width, height, 1, 4);
    brush.fillText(parseFloat((time / SECOND).toFixed(6)) + " s", time / end * width + 4, height + 12);
  }
}

function outline(from, to, width, height) {
  const [low, high] = from < to ? [from, to] : [to, from];
  brush.globalAlpha = 0.25;
  brush.fillStyle = styleOf("--link");
  for (let i = low; i <= high; i++) {
    const column = Math.floor(i / cells.rows), h = height / cells.rows, end = cells.edges[cells.nr];
    const x = isHeat() ? column * width / cells.columns : cells.edges[i] / times.end * width;
    const w = isHeat() ? width / cells.columns : (Math.min(cells.edges[i + 1], end, times.end) - cells.edges[i]) / times.end * width;
    brush.fillRect(x, isHeat() ? height - (i % cells.rows + 1) * h : 0, w, h);
  }
}

function drawStrip() {
  if (!times) return;
  const ratio = window.devicePixelRatio || 1, width = strip.clientWidth, height = isHeat() ? STRIP_HEAT : STRIP_BARS;
  strip.style.height = height + STRIP_SCALE + "px";
  strip.width = Math.round(width * ratio);
  strip.height = Math.round((height + STRIP_SCALE) * ratio);
  brush.setTransform(ratio, 0, 0, ratio, 0, 0);
  brush.font = "11px system-ui, sans-serif";
  makeCells(width);
  fillCells();
  (isHeat() ? drawHeat : drawBars)(width, height);
  drawScale(width, height);
  if (hovered >= 0 && hovered < cells.nr) outline(anchor >= 0 ? anchor : hovered, hovered, width, height);
  $("when").textContent = selection ? tellTimes(selection[0], selection[1], wholeNow) : number.format(base.total[0]) + " " + data.unit + " in " + seconds(times.end);
  $("all").hidden = !selection;
}

/* ---- selecting ---- */

function tellTimes(from, to, value) {
  let text = seconds(from) + " to " + seconds(Math.min(to, times.end)) + ": " + number.format(value) + " of " + number.format(base.total[0]) + " " + data.unit;
  const clock = times.clock + Math.floor(from / 1000);
  if (times.clock && clock < 8.64e15) text += ", from " + new Date(clock).toISOString().slice(11, 23);
  return text;
}

function cellAt(event) {
  const area = strip.getBoundingClientRect(), height = area.height - STRIP_SCALE;
  const x = Math.min(Math.max((event.clientX - area.left) / area.width, 0), 0.999999);
  if (isHeat()) {
    const row = Math.floor((1 - (event.clientY - area.top) / height) * cells.rows);
    return Math.floor(x * cells.columns) * cells.rows + Math.min(Math.max(row, 0), cells.rows - 1);
  }
  let cell = 0;
  while (cell < cells.nr - 1 && cells.edges[cell + 1] <= x * times.end) cell++;
  return cell;
}

/* The graph stays zoomed to the same stack, as far as the selected times have it. */
function selectTimes(wanted) {
  const path = [];
  for (let i = zoomed; i; i = tree.parent[i]) path.unshift(tree.frame[i]);
  selection = wanted;
  shape();
  for (const frame of path) {
    let child = zoomed + 1;
    while (child < tree.end[zoomed] && (tree.frame[child] !== frame || !size[child])) child = tree.end[child];
    if (child >= tree.end[zoomed]) break;
    zoomed = child;
  }
  search();
}

function selectCells(from, to) {
  selectTimes([cells.edges[Math.min(from, to)], cells.edges[Math.max(from, to) + 1]]);
}

/* From an address, which anybody may have written. */
function readSelection(text) {
  const [from, to] = (text || "").split("-").map(Number);
  return times && from >= 0 && to > from ? [from, to] : null;
}

function moveSelection(step, extend) {
  const first = selection ? cells.edges.findIndex((edge) => edge >= selection[0]) : step > 0 ? -1 : cells.nr;
  let last = selection ? cells.edges.findIndex((edge) => edge >= selection[1]) - 1 : first;
  if (last < 0 && selection) last = cells.nr - 1;
  const within = (cell) => Math.min(Math.max(cell, 0), cells.nr - 1);
  if (extend && selection) selectCells(within(first), Math.max(within(last + step), first));
  else selectCells(within(first + step), within(last + step));
}

function serveStrip() {
  strip.addEventListener("pointermove", (event) => {
    hovered = cellAt(event);
    $("details").textContent = tellTimes(cells.edges[hovered], cells.edges[hovered + 1], cells.sum[hovered]);
    drawStrip();
  });
  strip.addEventListener("pointerdown", (event) => {
    strip.setPointerCapture(event.pointerId);
    anchor = hovered = cellAt(event);
    drawStrip();
  });
  strip.addEventListener("pointerup", (event) => {
    const from = anchor;
    anchor = -1;
    if (from >= 0) selectCells(from, cellAt(event));
  });
  strip.addEventListener("pointerleave", () => {
    hovered = anchor = -1;
    $("details").textContent = "\u00a0";
    drawStrip();
  });
  strip.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    moveSelection(event.key === "ArrowLeft" ? -1 : 1, event.shiftKey);
    event.preventDefault();
  });
  $("all").addEventListener("click", () => selectTimes(null));
  $("heat").addEventListener("change", () => {
    save();
    drawStrip();
  });
  $("times").hidden = !times;
  $("heat").parentElement.hidden = !times || times.edges.length > 0;
}
