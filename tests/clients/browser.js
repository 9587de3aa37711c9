/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * browser.js SVG HTML DIFF-HTML SCREENSHOTS: works the pictures as a user does, in headless Chromium, and leaves
 * screenshots. The pictures are of shapes.folded (pictures.sh): 100 samples, of which function "leaf" has 40 in two
 * places, one below itself.
 */
"use strict";
const path = require("path");
const puppeteer = require("puppeteer-core");

const [svg, html, diff, folder] = process.argv.slice(2);
let failures = 0;

function check(what, condition, detail) {
  if (condition) return;
  failures++;
  console.log("FAIL: " + what + (detail === undefined ? "" : ": " + JSON.stringify(detail)));
}

function equal(what, got, wanted) {
  check(what, JSON.stringify(got) === JSON.stringify(wanted), got);
}

async function open(browser, file, fragment) {
  const page = await browser.newPage();
  page.requests = [];
  page.alerts = 0;
  page.on("request", (request) => page.requests.push(request.url()));
  page.on("pageerror", (error) => check("no script error in " + file, false, String(error)));
  page.on("dialog", async (dialog) => {
    page.alerts++;
    await (dialog.type() === "prompt" ? dialog.accept(page.answer) : dialog.dismiss());
  });
  await page.setViewport({ width: 1280, height: 720 });
  await page.goto("file://" + path.resolve(file) + (fragment || ""));
  return page;
}

const shot = (page, name) => page.screenshot({ path: path.join(folder, name + ".png") });
const text = (page, id) => page.$eval("#" + id, (element) => element.textContent);

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
  check("svg: zoom is in the address", page.url().includes("#x="), page.url());
  await shot(page, "svg-zoom");
  const again = await open(browser, svg, new URL(page.url()).hash);
  equal("svg: the address brings the zoom back", (await widths(again))["right"], 1180);
  await page.keyboard.press("Escape");
  equal("svg: Escape resets", (await widths(page))["right"], 590);
  page.answer = "^leaf";
  await page.evaluate(() => document.getElementById("search").dispatchEvent(new MouseEvent("click", { bubbles: true })));
  equal("svg: nested matches count once", await text(page, "matched"), "Matched: 40.0%");
  check("svg: matches are marked", (await page.$$("#frames g.found")).length >= 2);
  await shot(page, "svg-search");
  equal("svg: nothing is fetched", page.requests.filter((url) => !url.startsWith("file:")), []);
  equal("svg: names run no scripts", page.alerts, 1 /* our own prompt */);
  await page.close();
  await again.close();
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
    const area = canvas.getBoundingClientRect(), scale = area.width / tree.total[zoomed];
    return { x: area.left + (tree.start[i] - tree.start[zoomed] + tree.total[i] / 2) * scale, y: area.top + rowY(tree.depth[i]) + 8 };
  }, name);
  await page.mouse.click(point.x, point.y);
}

async function testHtml(browser) {
  const page = await open(browser, html);
  await shot(page, "html");
  let now = await state(page);
  equal("html: the total", now.total, 100);
  await clickNode(page, "right");
  equal("html: click zooms", (await state(page)).zoomed, "right");
  await shot(page, "html-zoom");
  const again = await open(browser, html, new URL(page.url()).hash);
  equal("html: the address brings the zoom back", (await state(again)).zoomed, "right");
  await again.close();
  await page.click("#back");
  equal("html: back goes back", (await state(page)).zoomed, "all");
  await page.type("#search", "^leaf");
  equal("html: nested matches count once", await text(page, "matched"), "Matched: 40.00%");
  await shot(page, "html-search");
  await page.$eval("#search", (element) => {
    element.value = "";
    element.dispatchEvent(new Event("input"));
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
  const row = await page.$$eval("#functions tbody tr", (rows) => rows.map((one) => [...one.children].map((c) => c.textContent)));
  const leaf = row.find((cells) => cells[2] === "leaf");
  equal("html: the table has self and total, recursion once", leaf && leaf.slice(0, 2), ["40  40.00%", "40  40.00%"]);
  await shot(page, "html-table");
  await page.click("#table");
  await page.click("#theme");
  equal("html: dark", await page.evaluate(() => document.documentElement.className), "dark");
  await shot(page, "html-dark");
  await page.focus("#canvas");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  check("html: the keyboard zooms", (await state(page)).zoomed !== "all", (await state(page)).zoomed);
  await page.keyboard.press("Escape");
  equal("html: Escape resets", (await state(page)).zoomed, "all");
  equal("html: nothing is fetched", page.requests.filter((url) => !url.startsWith("file:")), []);
  equal("html: names run no scripts", page.alerts, 0);
  await page.close();
  const difference = await open(browser, diff);
  await shot(difference, "diff");
  await difference.close();
}

async function testThreads(browser, file) {
  const page = await open(browser, file);
  const groups = await page.$$eval("#group option", (options) => options.map((option) => option.value));
  equal("html: threads can be grouped in three ways", groups, ["comm", "pid", "tid", "none"]);
  for (const [group, root, total] of [["tid", "app (7/9)", 5], ["pid", "app (7)", 8], ["comm", "app", 8]]) {
    await page.select("#group", group);
    equal("html: the total by " + group, (await state(page)).total, 8);
    await clickNode(page, root);
    equal("html: the roots by " + group, (await state(page)).zoomed, root);
    await page.click("#reset");
  }
  await shot(page, "html-threads");
  await page.close();
}

async function testLarge(browser, file) {
  const began = Date.now(), page = await open(browser, file), loaded = Date.now() - began;
  const first = await state(page);
  await page.evaluate(() => zoom(1));
  const zoomed = await state(page);
  console.log("large: " + first.nodes + " nodes, opened in " + loaded + " ms, drew " + first.drawn + " boxes in " +
    first.milliseconds + " ms, zoomed in " + zoomed.milliseconds + " ms");
  /* The bounds are for a busy machine without a graphics card; they catch work that grows with the number of stacks. */
  check("large: opens within a minute", loaded < 60000, loaded);
  check("large: draws within half a second", first.milliseconds < 500, first.milliseconds);
  check("large: draws what can be seen, not what there is", first.drawn < 10000, first.drawn);
  await shot(page, "large");
  await page.close();
}

async function main() {
  const browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
    protocolTimeout: 120000,
  });
  try {
    await testSvg(browser);
    await testHtml(browser);
    if (process.env.THREADS_HTML) await testThreads(browser, process.env.THREADS_HTML);
    if (process.env.LARGE_HTML) await testLarge(browser, process.env.LARGE_HTML);
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
