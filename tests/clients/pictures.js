/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pictures.js SVG HTML DIFF-HTML THREADS-HTML SCREENSHOTS: works the pictures as a user does, in headless Chromium, and
 * leaves screenshots. The pictures are of shapes.folded (pictures.sh): 100 samples, of which function "leaf" has 40 in two
 * places, one below itself.
 */
"use strict";
const path = require("path");
const { launch } = require("./chromium.js");

const [svg, html, diff, threads, folder] = process.argv.slice(2);
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
async function clickNode(page, name) {
  const point = await page.evaluate((wanted) => {
    const i = tree.frame.findIndex((frame, at) => data.names[frame] === wanted && at >= zoomed && at < tree.end[zoomed]);
    const area = canvas.getBoundingClientRect(), scale = area.width / size[zoomed];
    return { x: area.left + (start[i] - start[zoomed] + size[i] / 2) * scale, y: area.top + rowY(tree.depth[i]) + 8 };
  }, name);
  await page.clickAt(point.x, point.y);
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
  await page.evaluate(() => {
    const search = document.getElementById("search");
    search.value = "";
    search.dispatchEvent(new Event("input"));
  });
  await page.click("#reverse");
  now = await state(page);
  equal("html: callers keep the total", now.total, 100);
  await shot(page, "html-callers");
  await page.click("#reverse");
  await page.select("#group", "none");
  equal("html: without groups the total is the same", (await state(page)).total, 100);
  await page.select("#group", "comm");
  await page.click("#table");
  const rows = await page.evaluate(() =>
    [...document.querySelectorAll("#functions tbody tr")].map((one) => [...one.children].map((cell) => cell.textContent)));
  const leaf = rows.find((cells) => cells[2] === "leaf");
  equal("html: the table has self and total, recursion once", leaf && leaf.slice(0, 2), ["40  40.00%", "40  40.00%"]);
  await shot(page, "html-table");
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

async function main() {
  const browser = launch();
  try {
    await testSvg(browser);
    await testHtml(browser);
    await testScrolling(browser);
    await testDifference(browser);
    await testThreads(browser);
  } finally {
    await browser.close();
  }
  console.log(failures ? failures + " failures" : "all passed");
  process.exit(failures ? 1 : 0);
}

main().catch((error) => {
  console.log("FAIL: " + error.stack);
  process.exit(1);
});
