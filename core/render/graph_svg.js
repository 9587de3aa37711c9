/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Zoom, search and keyboard of an SVG flame graph. The state is in the address: #x=X&y=Y&s=EXPRESSION&i=1 */
"use strict";
(function () {
  const svg = document.documentElement;
  const byId = (id) => document.getElementById(id);
  const full = { x: 10, w: svg.viewBox.baseVal.width - 20 };
  const glyph = 7.08;
  const boxes = [];
  let zoomed = null, expression = "", ignoreCase = false;

  function addBox(g) {
    const rect = g.querySelector("rect"), title = g.querySelector("title").textContent;
    const name = title.replace(/ \([^(]*\)$/, ""), text = name.replace(/ \[[^\]]*\]$/, "");
    const [x, y, w] = ["x", "y", "width"].map((key) => parseFloat(rect.getAttribute(key)));
    g.box = { g, rect, label: g.querySelector("text"), title, name, text, x, y, w };
    boxes.push(g.box);
  }

  function fit(box, width) {
    const room = Math.floor((width - 6) / glyph);
    const chars = Array.from(box.text);
    if (room < 3) return "";
    const head = Math.floor((room - 2) / 2);
    if (chars.length <= room) return box.text;
    return chars.slice(0, head).join("") + ".." + chars.slice(head + 2 - room).join("");
  }

  function place(box, x, w) {
    box.rect.setAttribute("x", x);
    box.rect.setAttribute("width", w);
    box.label.setAttribute("x", x + 3);
    box.label.textContent = fit(box, w);
  }

  /* Boxes beside what is zoomed to are hidden, those below it (its callers) are drawn over the full width. */
  function zoom(box) {
    const slack = 0.005;
    const inverted = svg.dataset.inverted === "1";
    const scale = box ? full.w / box.w : 1;
    zoomed = box;
    for (const other of boxes) {
      const caller = box && (inverted ? other.y < box.y : other.y > box.y);
      const inside = !box || (other.x >= box.x - slack && other.x + other.w <= box.x + box.w + slack && !caller);
      const below = caller && other.x <= box.x + slack && other.x + other.w >= box.x + box.w - slack;
      other.g.classList.toggle("hidden", !inside && !below);
      other.g.classList.toggle("parent", Boolean(below));
      if (below) place(other, full.x, full.w);
      else if (inside) place(other, box ? full.x + (other.x - box.x) * scale : other.x, other.w * scale);
    }
    byId("reset").classList.toggle("hidden", !box);
    save();
  }

  /* A box in a box covers the same time, so the share is that of the union. */
  function covered(found) {
    let end = -1, sum = 0;
    found.sort((a, b) => a.x - b.x || b.w - a.w);
    for (const box of found) {
      const right = box.x + box.w;
      if (right > end) {
        sum += right - Math.max(box.x, end);
        end = right;
      }
    }
    return sum / full.w;
  }

  function search(text) {
    let pattern = null;
    const found = [];
    expression = text || "";
    byId("case").textContent = "Ignore case: " + (ignoreCase ? "on" : "off");
    try {
      pattern = expression ? new RegExp(expression, ignoreCase ? "i" : "") : null;
    } catch (error) {
      byId("matched").textContent = "not a regular expression: " + error.message;
      return;
    }
    for (const box of boxes) {
      const match = pattern !== null && pattern.test(box.name);
      box.g.classList.toggle("found", match);
      if (match) found.push(box);
    }
    byId("matched").textContent = pattern ? "Matched: " + (100 * covered(found)).toFixed(1) + "%" : " ";
    byId("search").textContent = pattern ? "Reset search" : "Search";
    save();
  }

  function askSearch() {
    if (expression && this === byId("search")) return search("");
    const text = window.prompt("Search for names (a regular expression)", expression);
    if (text !== null) search(text);
  }

  function switchCase() {
    ignoreCase = !ignoreCase;
    search(expression);
  }

  /* ---- the address ---- */

  let restoring = false;

  function save() {
    const state = new URLSearchParams();
    if (restoring) return;
    if (zoomed) {
      state.set("x", zoomed.x);
      state.set("y", zoomed.y);
    }
    if (expression) state.set("s", expression);
    if (ignoreCase) state.set("i", "1");
    const text = state.toString();
    if (text !== location.hash.slice(1)) history.replaceState(null, "", "#" + text);
  }

  function restore() {
    const state = new URLSearchParams(location.hash.slice(1));
    const x = parseFloat(state.get("x")), y = parseFloat(state.get("y"));
    restoring = true;
    ignoreCase = state.get("i") === "1";
    zoom(boxes.find((box) => box.y === y && Math.abs(box.x - x) < 0.01 && box.y !== root().y) || null);
    search(state.get("s") || "");
    restoring = false;
  }

  /* ---- events ---- */

  const root = () => boxes[0];

  function boxOf(event) {
    const g = event.target.closest ? event.target.closest("#frames g") : null;
    return g ? g.box : null;
  }

  function activate(box) {
    zoom(box === root() ? null : box);
  }

  for (const g of document.querySelectorAll("#frames > g")) addBox(g);
  for (const box of boxes.slice(0, 2000)) box.g.setAttribute("tabindex", "0");
  svg.addEventListener("click", (event) => {
    const box = boxOf(event);
    if (box) activate(box);
  });
  svg.addEventListener("mouseover", (event) => {
    const box = boxOf(event);
    byId("details").textContent = box ? box.title : " ";
  });
  svg.addEventListener("focusin", (event) => {
    const box = boxOf(event);
    if (box) byId("details").textContent = box.title;
  });
  window.addEventListener("keydown", (event) => {
    const box = boxOf(event);
    if ((event.ctrlKey && event.key === "f") || event.key === "F3" || event.key === "/") askSearch();
    else if (event.ctrlKey && event.key === "i") switchCase();
    else if (event.key === "Escape") zoom(null);
    else if (event.key === "Enter" && box) activate(box);
    else if (event.key === "Enter" && event.target.classList.contains("button"))
      event.target.dispatchEvent(new MouseEvent("click"));
    else return;
    event.preventDefault();
  });
  byId("reset").addEventListener("click", () => zoom(null));
  byId("search").addEventListener("click", askSearch);
  byId("case").addEventListener("click", switchCase);
  window.addEventListener("hashchange", restore);
  if (boxes.length) restore();
})();
