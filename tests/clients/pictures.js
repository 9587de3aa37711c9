/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pictures.js SVG HTML DIFF-HTML THREADS-HTML VIEW-HTML NOTES-SVG NOTES-HTML NOTES TIMES-HTML LINES-HTML SCREENSHOTS: works the pictures as a user does, in headless Chromium, and
 * leaves screenshots. The pictures are of shapes.folded (pictures.sh): 100 samples, of which function "leaf" has 40 in two
 * places, one below itself.
 */
"use strict";
const fs = require("fs");
const path = require("path");
const { run } = require("./chromium.js");

const [svg, html, diff, threads, view, notesSvg, notesHtml, notes, timesHtml, linesHtml, folder] = process.argv.slice(2);
let failures = 0;

function check(what, condition, detail) {
  if (condition) return;
  failures++;
  console.log("FAIL: " + what + (detail === undefined ? "" : ": " + JSON.stringify(detail)));
}

function equal(what, got, wanted) {
  check(what, JSON.stringify(got) === JSON.stringify(wanted), got);
}

const open = (browser, file, fragment) => browser.open("file://" + path.resolve(file) + (fragment || ""), 1280, 720);

const shot = (page, name) => page.screenshot(path.join(folder, name + ".png"));

const text = (page, id) => page.evaluate((wanted) => document.getElementById(wanted).textContent, id);

/* A page is left: it has fetched nothing, met no error, and only the dialogs of our own are counted. */
async function leave(page, name, dialogs) {
  equal(name + ": nothing is fetched", page.requests.filter((url) => !url.startsWith("file:")), []);
  equal(name + ": no script fails", page.errors, []);
  equal(name + ": names run no scripts", page.dialogs, dialogs);
  await page.close();
}

/* ---- SVG ---- */

const widths = (page) => page.evaluate(() => {
  const shown = {};
  for (const g of document.querySelectorAll("#frames > g:not(.hidden)"))
    shown[g.querySelector("title").textContent.replace(/ \(.*$/, "")] = Math.round(g.querySelector("rect").getBoundingClientRect().width);
  return shown;
});

const clickBox = (page, name) => page.evaluate((wanted) => {
  const g = [...document.querySelectorAll("#frames > g")].find((one) => one.querySelector("title").textContent.startsWith(wanted));
  g.querySelector("rect").dispatchEvent(new MouseEvent("click", { bubbles: true }));
}, name);

async function testSvg(browser) {
  const page = await open(browser, svg);
  await shot(page, "svg");
  let shown = await widths(page);
  equal("svg: the root is as wide as the picture", shown.all, 1180);
  equal("svg: a half is half as wide", shown["right"], 590);
  await clickBox(page, "right");
  shown = await widths(page);
  equal("svg: zoom widens the box", shown["right"], 1180);
  check("svg: zoom hides what is beside it", !("left" in shown), shown);
  check("svg: zoom is in the address", (await page.url()).includes("#x="), await page.url());
  await shot(page, "svg-zoom");
  const again = await open(browser, svg, new URL(await page.url()).hash);
  equal("svg: the address brings the zoom back", (await widths(again))["right"], 1180);
  await page.press("Escape");
  equal("svg: Escape resets", (await widths(page))["right"], 590);
  page.answer = "^leaf";
  await page.evaluate(() => document.getElementById("search").dispatchEvent(new MouseEvent("click", { bubbles: true })));
  await page.wait(() => document.getElementById("matched").textContent);
  equal("svg: nested matches count once", await text(page, "matched"), "Matched: 40.0%");
  check("svg: matches are marked", (await page.evaluate(() => document.querySelectorAll("#frames g.found").length)) >= 2);
  await shot(page, "svg-search");
  await leave(page, "svg", ["prompt"]);
  await leave(again, "svg again", []);
}

/* ---- HTML ---- */

const state = (page) => page.evaluate(() => ({
  total: tree.total[0], zoomed: data.names[tree.frame[zoomed]], drawn: Number(document.body.dataset.drawn),
  milliseconds: Number(document.body.dataset.milliseconds), nodes: tree.n,
}));

/* A click in the middle of the named box, through the page's own geometry. */
const pointOf = (page, name) => page.evaluate((wanted) => {
  const i = tree.frame.findIndex((frame, at) => data.names[frame] === wanted && at >= zoomed && at < tree.end[zoomed]);
  const area = canvas.getBoundingClientRect(), scale = area.width / size[zoomed];
  return { x: area.left + (start[i] - start[zoomed] + size[i] / 2) * scale, y: area.top + rowY(tree.depth[i]) + 8 };
}, name);

async function clickNode(page, name, button) {
  const point = await pointOf(page, name);
  await page.clickAt(point.x, point.y, button);
}

async function pointNode(page, name) {
  const point = await pointOf(page, name);
  await page.send("Input.dispatchMouseEvent", { type: "mouseMoved", ...point });
}

async function testHtml(browser) {
  const page = await open(browser, html);
  await shot(page, "html");
  let now = await state(page);
  equal("html: the total", now.total, 100);
  await clickNode(page, "right");
  equal("html: click zooms", (await state(page)).zoomed, "right");
  await shot(page, "html-zoom");
  const again = await open(browser, html, new URL(await page.url()).hash);
  equal("html: the address brings the zoom back", (await state(again)).zoomed, "right");
  await leave(again, "html again", []);
  await page.click("#back");
  equal("html: back goes back", (await state(page)).zoomed, "all");
  await page.type("#search", "^leaf");
  equal("html: nested matches count once", await text(page, "matched"), "Matched: 40.00%");
  await shot(page, "html-search");
  const places = [];
  for (const key of ["Enter", "Enter", "Enter"]) {
    await page.press(key);
    places.push(await page.evaluate(() => data.names[tree.frame[tree.parent[cursor]]]));
  }
  equal("html: Enter goes from match to match, each outermost one", places, ["a", "right", "a"]);
  check("html: and counts them", (await text(page, "details")).startsWith("1 of 2: leaf"), await text(page, "details"));
  await page.evaluate(() => {
    const search = document.getElementById("search");
    search.value = "";
    search.dispatchEvent(new Event("input"));
  });
  await page.click("#reverse");
  now = await state(page);
  equal("html: callers keep the total", now.total, 100);
  await shot(page, "html-callers");
  const selves = () => page.evaluate(() => functions().filter((one) => one.self).map((one) => [data.names[one.frame], one.self]));
  const turned = await selves();
  await page.click("#reverse");
  equal("html: callers keep the self values", turned, await selves());
  await page.select("#group", "none");
  equal("html: without groups the total is the same", (await state(page)).total, 100);
  await page.select("#group", "comm");
  await page.click("#table");
  const rows = await page.evaluate(() =>
    [...document.querySelectorAll("#functions tbody tr")].map((one) => [...one.children].map((cell) => cell.textContent)));
  const leaf = rows.find((cells) => cells[2] === "leaf");
  equal("html: the table has self and total, recursion once", leaf && leaf.slice(0, 2), ["40  40.00%", "40  40.00%"]);
  await shot(page, "html-table");
  await page.evaluate(() => [...document.querySelectorAll("#functions tbody tr")].find((one) => one.lastChild.textContent === "leaf").click());
  equal("html: a line of the table leads to the function", await page.evaluate(() => chosen), "leaf");
  await page.evaluate(() => document.querySelector("tr.chosen").click());
  equal("html: and its own line to the graph, where it is marked", [await text(page, "matched"), await page.evaluate(() => canvas.hidden)], ["Matched: 40.00%", false]);
  await page.evaluate(() => {
    $("search").value = "";
    search();
  });
  await page.click("#table");
  await page.click("#table");
  await page.click("#theme");
  equal("html: dark", await page.evaluate(() => document.documentElement.className), "dark");
  await shot(page, "html-dark");
  await page.evaluate(() => document.getElementById("canvas").focus());
  await page.press("ArrowUp");
  await page.press("ArrowUp");
  await page.press("ArrowUp");
  await page.press("Enter");
  check("html: the keyboard zooms", (await state(page)).zoomed !== "all", (await state(page)).zoomed);
  await page.press("Escape");
  equal("html: Escape resets", (await state(page)).zoomed, "all");
  await leave(page, "html", []);
}

/* What is told beside the pointer; the keys; the browser's own Back; the reader's preference for dark. */
async function testHelp(browser) {
  const page = await open(browser, html);
  await clickNode(page, "right");
  await pointNode(page, "leaf");
  equal("help: a box under the pointer", await page.evaluate(() => [...$("tip").children].map((one) => one.textContent)),
    ["leaf", "30 samples, self 0", "30.00% of all", "60.00% of right", "60.00% of what is shown"]);
  await shot(page, "html-tip");
  await page.evaluate(() => history.back());
  await page.wait(() => zoomed === 0);
  await page.press("?");
  check("help: ? shows the keys", (await text(page, "help")).includes("callers and callees"), await text(page, "help"));
  await shot(page, "html-keys");
  await page.press("Escape");
  await page.wait(() => !$("help").open);
  await leave(page, "help", []);
  for (const [file, what, selector] of [[html, "html", "body"], [svg, "svg", "#background"]]) {
    const dark = await open(browser, file);
    await dark.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: "dark" }] });
    await dark.goto("about:blank");
    await dark.goto("file://" + path.resolve(file));
    const color = await dark.evaluate((wanted) => {
      const style = getComputedStyle(document.querySelector(wanted));
      return wanted === "body" ? style.backgroundColor : style.fill;
    }, selector);
    equal(what + ": dark if the reader prefers it", color, "rgb(22, 24, 28)");
    await shot(dark, what + "-prefers-dark");
    await leave(dark, what + " dark", []);
  }
}

/* The menu of a box, and the files that it saves: what the browser would write is kept in the page. */
async function testMenu(browser) {
  const page = await open(browser, notesHtml);
  const offer = (name) => page.evaluate((wanted) => [...$("menu").children].find((one) => one.textContent === wanted).click(), name);
  const details = () => text(page, "details");
  await page.evaluate(() => {
    window.saved = [];
    HTMLAnchorElement.prototype.click = function () {
      window.saved.push(this.download);
    };
    URL.createObjectURL = (blob) => {
      window.blob = blob;
      return "";
    };
  });
  const name = await page.evaluate(() => {
    const wide = [...tree.frame.keys()].slice(1).find((i) => size[i] * 4 > size[0] && ![PROCESS, DELIMITER].includes(data.kinds[tree.frame[i]]));
    return data.names[tree.frame[wide]];
  });
  await clickNode(page, name, "right");
  equal("menu: a right click selects the box and opens it", await page.evaluate(() => [$("menu").hidden, data.names[tree.frame[cursor]], zoomed]), [false, name, 0]);
  await shot(page, "html-menu");
  await page.press("ArrowDown");
  equal("menu: arrows move in it", await page.evaluate(() => document.activeElement.textContent), "Callers and callees");
  await page.press("Escape");
  equal("menu: Escape closes it and leaves the rest", await page.evaluate(() => [$("menu").hidden, document.activeElement.id]), [true, "canvas"]);
  await clickNode(page, name, "right");
  await offer("Copy name");
  check("menu: the name is copied", (await details()).endsWith(": " + name), await details());
  await clickNode(page, name, "right");
  await offer("Callers and callees");
  equal("menu: the function's view", await page.evaluate(() => chosen), name);
  await page.press("f");
  await clickNode(page, name, "right");
  await offer("Save the graph as PNG");
  await page.wait(() => window.saved.length === 1);
  const picture = await page.evaluate(async () => {
    const bitmap = await createImageBitmap(window.blob);
    return { type: window.blob.type, width: bitmap.width, above: bitmap.height - canvas.height, graph: canvas.width };
  });
  equal("menu: the picture has the graph", [picture.type, picture.width], ["image/png", picture.graph]);
  equal("menu: and title and note above it", picture.above, 2 * 20 + 6);
  await clickNode(page, name, "right");
  await offer("Zoom in");
  await clickNode(page, name, "right");
  await offer("Save as folded stacks");
  const folded = await page.evaluate(() => window.blob.text());
  const zoomed = await page.evaluate(() => tree.total[zoomed]);
  equal("menu: the folded stacks add up to the box", folded.trim().split("\n").reduce((sum, line) => sum + Number(line.split(" ").pop()), 0), zoomed);
  check("menu: each has its function", folded.trim().split("\n").every((line) => line.includes(name)), folded);
  check("menu: the files have names", (await page.evaluate(() => window.saved)).every((one) => /^[\w.-]+\.(png|folded)$/.test(one)));
  await leave(page, "menu", []);
}

/* A window that is lower than the graph: it is scrolled to the root, the table to its first line. */
async function testScrolling(browser) {
  const page = await browser.open("file://" + path.resolve(html), 1280, 150);
  const scrolled = () => page.evaluate(() => window.scrollY);
  check("html: a low window shows the root", (await scrolled()) > 0, await scrolled());
  await page.press("ArrowUp");
  check("html: arrows work without a click", (await text(page, "details")).startsWith("all"), await text(page, "details"));
  await page.click("#table");
  equal("html: the table begins with its first line", await scrolled(), 0);
  await page.click("#table");
  check("html: the graph shows the root again", (await scrolled()) > 0, await scrolled());
  await page.evaluate(() => showFunction("leaf"));
  check("html: the view of a function shows its line", await page.evaluate(() => {
    const line = document.querySelector("tr.chosen").getBoundingClientRect();
    return line.top >= 0 && line.bottom <= innerHeight;
  }));
  await leave(page, "scrolling", []);
}

async function testDifference(browser) {
  const page = await open(browser, diff);
  equal("diff: the total is that of now", (await state(page)).total, 105);
  await shot(page, "diff");
  const shown = () => page.evaluate(() => [...Array(tree.n).keys()].filter((i) => size[i]).map((i) => data.names[tree.frame[i]]).includes("old"));
  equal("diff: what is gone has no box", await shown(), false);
  check("diff: how much is gone is told", (await text(page, "subtitle")).includes("7 samples before (6.54%) are in stacks that no longer occur"),
    await text(page, "subtitle"));
  await page.select("#side", "before");
  equal("diff: it has one by the widths of before", await shown(), true);
  await clickNode(page, "old");
  equal("diff: and can be zoomed to", (await state(page)).zoomed, "old");
  await shot(page, "diff-before");
  const again = await open(browser, diff, new URL(await page.url()).hash);
  equal("diff: the address brings the widths back", [await again.evaluate(() => $("side").value), (await state(again)).zoomed], ["before", "old"]);
  await leave(again, "diff again", []);
  await page.select("#side", "now");
  equal("diff: now it is not there", (await state(page)).zoomed, "all");
  await page.select("#side", "both");
  await page.type("#search", "^left$");
  equal("diff: both sides have their share", await text(page, "matched"), "Matched: 46.73% → 33.33%");
  await page.evaluate(() => ($("search").value = ""));
  await shot(page, "diff-both");
  for (const [name, side] of [["left", 0], ["old", 0], ["left", 1]]) {
    const at = await page.evaluate((wanted, k) => {
      const i = tree.frame.findIndex((frame) => data.names[frame] === wanted), area = canvas.getBoundingClientRect();
      const width = (area.width - GAP) / 2, panel = panels[k];
      return [area.left + k * (width + GAP) + (panel.start[i] + panel.size[i] / 2) / panel.size[0] * width, area.top + rowY(tree.depth[i]) + 8];
    }, name, side);
    await page.clickAt(...at);
    equal("diff: a click on side " + side + " zooms both", (await state(page)).zoomed, name);
    await page.click("#reset");
  }
  const both = await open(browser, diff, new URL(await page.url()).hash);
  equal("diff: the address brings both sides back", await both.evaluate(() => [$("side").value, panels.length]), ["both", 2]);
  await leave(both, "diff both", []);
  equal("diff: what one profile lacks is told", await page.evaluate(() => [...document.querySelectorAll("#notes li")].map((one) => one.textContent)),
    ["now: WARNING: 1 line is not a folded stack and was skipped"]);
  await leave(page, "diff", []);
}

async function testThreads(browser) {
  const page = await open(browser, threads);
  const groups = await page.evaluate(() => [...document.querySelectorAll("#group option")].map((option) => option.value));
  equal("html: threads can be grouped in three ways", groups, ["comm", "pid", "tid", "none"]);
  for (const [group, root, total] of [["tid", "app (7/9)", 5], ["pid", "app (7)", 8], ["comm", "app", 8]]) {
    await page.select("#group", group);
    equal("html: the total by " + group, (await state(page)).total, 8);
    await clickNode(page, root);
    equal("html: the roots by " + group, (await state(page)).zoomed, root);
    await page.click("#reset");
  }
  await shot(page, "html-threads");
  await leave(page, "threads", []);
}

/* 100 samples, 10 of them in the kernel: main calls "read" (10), "long" (60) and "z" (30), and the last two call "f". */
async function testView(browser) {
  const page = await open(browser, view);
  const children = () => page.evaluate(() => {
    const main = tree.frame.findIndex((frame) => data.names[frame] === "main"), names = [];
    for (let child = main + 1; child < tree.end[main]; child = tree.end[child]) names.push(data.names[tree.frame[child]].slice(0, 4));
    return names;
  });
  const kernelFrames = () => page.evaluate(() => [...tree.frame].filter((frame) => data.kinds[frame] === KERNEL).length);
  const rows = () => page.evaluate(() =>
    [...document.querySelectorAll("#functions tbody tr")].map((one) => [...one.children].map((cell) => cell.textContent)));
  equal("view: the legend has the kinds that are there", await page.evaluate(() =>
    [...document.querySelectorAll("#legend b")].map((one) => one.textContent)), ["user", "kernel", "process"]);
  equal("view: siblings by name", await children(), ["long", "read", "z"]);
  await page.click("#weight");
  equal("view: widest first", await children(), ["long", "z", "read"]);
  equal("view: kernel frames are there", await kernelFrames(), 2);
  await page.select("#part", "user");
  equal("view: without the kernel", [await kernelFrames(), (await state(page)).total], [0, 100]);
  await shot(page, "view-user");
  const again = await open(browser, view, new URL(await page.url()).hash);
  equal("view: the address brings both back", await again.evaluate(() => [$("part").value, $("weight").checked]), ["user", true]);
  await leave(again, "view again", []);
  await page.press("k");
  equal("view: k goes on to the kernel alone", [await kernelFrames(), (await state(page)).total], [2, 100]);
  await page.press("k");
  await clickNode(page, "f");
  await page.press("f");
  equal("view: callers above, callees below", await rows(), [["called by", "30  30.00%", "z"], ["called by", "60  60.00%", "long_name_of_a_function_with_an_end"],
    ["", "90  90.00%", "f"], ["calls", "20  20.00%", "g"]]);
  await shot(page, "view-function");
  const function_ = await open(browser, view, new URL(await page.url()).hash);
  equal("view: the address brings the function back", await function_.evaluate(() => chosen), "f");
  await function_.evaluate(() => {
    $("case").click();
    document.querySelector("#functions .chosen").click();
  });
  equal("view: a function is found by its exact name, in the address too",
    await function_.evaluate(() => [$("search").value, $("case").checked, new URLSearchParams(location.hash.slice(1)).get("i"), canvas.hidden]),
    ["^f$", false, null, false]);
  await leave(function_, "view function", []);
  await page.evaluate(() => document.querySelectorAll("#functions tbody tr")[0].click());
  equal("view: a click goes to the caller", (await rows())[1], ["", "30  30.00%", "z"]);
  await page.press("f");
  equal("view: and back to the graph", await page.evaluate(() => [canvas.hidden, chosen]), [false, ""]);
  equal("view: a name that is cut keeps both ends", await page.evaluate(() => cut("long_name_of_a_function_with_an_end", 12)), "long_..n_end");
  const text_ = await page.evaluate(stackOfSelected);
  equal("view: the selected stack is text", text_, text_ && "app;main;" + (text_.includes("z;") ? "z;f 30" : "long_name_of_a_function_with_an_end;f 60"));
  await page.press("c");
  check("view: c copies it", (await text(page, "details")).endsWith(text_), await text(page, "details"));
  await leave(page, "view", []);
}

/* 200 samples in 20 seconds: of f in the first half, of g in the second, called by main. */
async function testTimes(browser) {
  const page = await open(browser, timesHtml);
  const told = () => text(page, "when");
  const of = (name) => page.evaluate((wanted) => functions().filter((one) => data.names[one.frame] === wanted).map((one) => one.total)[0] || 0, name);
  equal("times: all of them", [await told(), (await state(page)).total], ["200 samples in 19.90 s", 200]);
  await shot(page, "times");
  await page.drag("#strip", [0.001, 0.3], [0.24, 0.3]);
  equal("times: the first quarter", [(await state(page)).total, await of("f"), await of("g")], [50, 50, 0]);
  check("times: it is told", (await told()).endsWith("s: 50 of 200 samples"), await told());
  await page.drag("#strip", [0.4, 0.3], [0.6, 0.3]);
  equal("times: both functions", [await of("f") > 10, await of("g") > 10, await of("main")], [true, true, (await state(page)).total]);
  await shot(page, "times-part");
  await clickNode(page, "f");
  equal("times: zoomed", (await state(page)).zoomed, "f");
  equal("times: what is zoomed to is marked", await page.evaluate(() => cells.marked.reduce((a, b) => a + b)), await of("f"));
  const again = await open(browser, timesHtml, new URL(await page.url()).hash);
  equal("times: the address brings them back", [(await state(again)).zoomed, (await state(again)).total, await text(again, "when")],
    ["f", (await state(page)).total, await told()]);
  await leave(again, "times again", []);
  await page.drag("#strip", [0.001, 0.3], [0.3, 0.3]);
  equal("times: the graph stays zoomed", (await state(page)).zoomed, "f");
  await page.drag("#strip", [0.9, 0.3], [0.999, 0.3]);
  equal("times: as far as the stack is there", (await state(page)).zoomed, "main");
  await page.press("Escape");
  await page.press("Escape");
  equal("times: Escape shows all again", [(await state(page)).total, await page.evaluate(() => selection)], [200, null]);
  await page.evaluate(() => strip.focus());
  for (const key of ["ArrowRight", "ArrowRight", "ArrowLeft"]) await page.press(key);
  const first = (await state(page)).total;
  check("times: keys select a column", first > 0 && first < 20, first);
  await page.press("Escape");
  for (const shape of ["callers", "heat map"]) {
    await page.click(shape === "callers" ? "#reverse" : "#heat");
    await page.drag("#strip", [0.001, 0.5], [0.001, 0.5]);
    const some = (await state(page)).total;
    check("times: a part, with " + shape, some > 0 && some < 20, some);
    await shot(page, "times-" + shape.replace(" ", "-"));
  }
  await leave(page, "times", []);
}

/* 31 samples of a program that was built with debug information: st_fix_burn has 5 in line 17 and 26 in line 18. */
async function testLines(browser) {
  const page = await open(browser, linesHtml);
  const boxes = () => page.evaluate(() => [...tree.frame].map((frame) => data.names[frame]).filter((name) => name.startsWith("st_fix_burn")));
  equal("lines: each is a box", await boxes(), ["st_fix_burn:inlined.c:17", "st_fix_burn:inlined.c:18"]);
  check("lines: a box tells the path", (await page.evaluate(() => describe(tree.n - 1))).startsWith("st_fix_burn:inlined.c:18 at ./build/./tests/fixtures/inlined.c:18 [inlined]: 26 samples"),
    await page.evaluate(() => describe(tree.n - 1)));
  await shot(page, "lines");
  await page.click("#lines");
  equal("lines: or a function is a box", [await boxes(), (await state(page)).total], [["st_fix_burn"], 31]);
  const again = await open(browser, linesHtml, new URL(await page.url()).hash);
  equal("lines: the address brings that back", await again.evaluate(() => $("lines").checked), false);
  await leave(again, "lines again", []);
  for (const separate of [false, true]) {
    await page.evaluate(() => showFunction("st_fix_burn"));
    equal("lines: a function's view has its lines, " + separate, await page.evaluate(() =>
      [...document.querySelectorAll("#functions tbody tr")].map((one) => [...one.children].map((cell) => cell.textContent.replace(/ .*/, "")))),
      [["called", "31", "st_fix_middle"], ["", "31", "st_fix_burn"], ["at", "26", "./build/./tests/fixtures/inlined.c:18"], ["at", "5", "./build/./tests/fixtures/inlined.c:17"]]);
    await shot(page, "lines-function");
    await page.evaluate(() => document.querySelector("tr.chosen").click());
    equal("lines: all of a function are found, " + separate, await text(page, "matched"), "Matched: 100.00%");
    await page.evaluate(() => ($("search").value = ""));
    await page.press("l");
    equal("lines: l switches", (await boxes()).length, separate ? 1 : 2);
  }
  await leave(page, "lines", []);
}

const stackOfSelected = () => stackText();

/* What the run said about its numbers is in the picture. */
async function testNotes(browser) {
  const lines = fs.readFileSync(notes, "utf8").split("\n").filter((line) => /^(NOTE|WARNING|ERROR): /.test(line));
  check("notes: the run has some", lines.length > 0, lines);
  const page = await open(browser, notesHtml);
  equal("notes: html", await page.evaluate(() => [...document.querySelectorAll("#notes li:not(.about)")].map((one) => one.textContent)), lines);
  await shot(page, "notes");
  await leave(page, "notes html", []);
  const picture = await open(browser, notesSvg);
  equal("notes: svg", await picture.evaluate(() => [...document.querySelectorAll("text.note")].map((one) => one.lastChild.textContent)), lines);
  check("notes: svg has a legend", (await picture.evaluate(() => document.querySelectorAll("#legend rect").length)) > 0);
  await shot(picture, "notes-svg");
  await leave(picture, "notes svg", []);
}

run(async (browser) => {
  await testSvg(browser);
  await testHtml(browser);
  await testHelp(browser);
  await testMenu(browser);
  await testScrolling(browser);
  await testDifference(browser);
  await testThreads(browser);
  await testView(browser);
  await testNotes(browser);
  await testTimes(browser);
  await testLines(browser);
  return failures ? [failures + " failures"] : [];
});
