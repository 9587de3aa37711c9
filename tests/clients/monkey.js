/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * monkey.js PAGE...: works each page at random, but each time alike. After each step no script has failed, the graph has all samples of the
 * selected times, it is zoomed to something, and the address leads to the same view.
 */
"use strict";
const path = require("path");
const { run } = require("./chromium.js");

const STEPS = 300;

/* Runs in the page. The steps, and what is wrong after them. */
function work(steps) {
  let seed = 5;
  const random = (below) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor(seed / 2147483648 * below);
  };
  const done = [], wrong = [];
  const isThere = (id) => !$(id).closest("[hidden]");
  const change = (id) => () => {
    if (!isThere(id)) return;
    $(id).selectedIndex = random($(id).options.length);
    $(id).dispatchEvent(new Event("change"));
  };
  const click = (id) => () => {
    if (isThere(id)) $(id).click();
  };
  const press = (key) => () => (random(2) ? document.body : canvas).dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  const point = () => {
    const area = canvas.getBoundingClientRect();
    const at = { clientX: area.left + random(1000) / 1000 * area.width, clientY: area.top + random(1000) / 1000 * area.height };
    canvas.dispatchEvent(new MouseEvent("mousemove", at));
    if (random(2)) canvas.dispatchEvent(new MouseEvent("click", at));
  };
  const menu = () => {
    const area = canvas.getBoundingClientRect();
    canvas.dispatchEvent(new MouseEvent("contextmenu", { button: 2, clientX: area.left + random(1000) / 1000 * area.width, clientY: area.top + 8 }));
    const items = [...$("menu").children].filter((one) => !one.textContent.startsWith("Save"));
    if (!$("menu").hidden) items[random(items.length)].click();
  };
  const find = () => {
    $("search").value = ["", "a", "read|zlib", "^f", "(", "all", "."][random(7)];
    search();
  };
  const select = () => {
    if (times) random(4) ? selectCells(random(cells.nr), random(cells.nr)) : selectTimes(null);
  };
  const row = () => {
    const lines = document.querySelectorAll("#functions tbody tr");
    if (lines.length) lines[random(lines.length)].click();
  };
  const actions = { point, menu, find, select, row };
  for (const id of ["side", "group", "part"]) actions["change " + id] = change(id);
  for (const id of ["reverse", "inverted", "weight", "lines", "heat", "table", "view", "copy", "back", "reset", "all", "theme"]) actions["click " + id] = click(id);
  for (const key of ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Enter", "Escape", "Backspace", "n", "N", "f", "t", "k", "w", "l", "b", "c"])
    actions["key " + key] = press(key);
  const names = Object.keys(actions).concat(Array(6).fill("point"), Array(2).fill("find"), Array(2).fill("select"));
  const view = () => JSON.stringify([zoomed, selection, chosen, $("search").value, tree.n]);
  for (let i = 0; i < steps && !wrong.length; i++) {
    const name = names[random(names.length)];
    done.push(name);
    actions[name]();
    const sum = tree.self.reduce((one, other) => one + other, 0), before = view();
    if (sum !== wholeNow) wrong.push("the graph has " + sum + " of " + wholeNow);
    if (drawnSize(0) && !drawnSize(zoomed)) wrong.push("it is zoomed to nothing");
    restore();
    if (view() !== before) wrong.push("the address leads from " + before + " to " + view());
  }
  return wrong.map((what) => what + ", after " + done.slice(-5).join(", "));
}

/* A browser allows a page only so many addresses in half a minute; a monkey is faster. */
run(async (browser) => {
  const failures = [];
  for (const file of process.argv.slice(2)) {
    const page = await browser.open("file://" + path.resolve(file), 1000, 600);
    for (const what of [...await page.evaluate(work, STEPS), ...page.errors]) failures.push(path.basename(file) + ": " + what);
    await page.close();
  }
  return failures;
}, "--disable-ipc-flooding-protection");
