/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * speed.js PAGE...: how long a reader of each page waits until it is first painted, and after each action until the next frame
 * is painted. In headless Chromium, without a graphics card. With MOST=MILLISECONDS, more time of the CPU is a failure.
 */
"use strict";
const path = require("path");
const { run } = require("./chromium.js");

const OPEN = "opened", most = Number(process.env.MOST) || Infinity;

/* Each is a user's action on a page as it was opened, or as the action before left it. */
const ACTIONS = [
  ["zoom to the widest box", () => zoom(1)],
  ["reset zoom", () => $("reset").click()],
  ["search", () => {
    $("search").value = "f1";
    search();
  }],
  ["end the search", () => {
    $("search").value = "";
    search();
  }],
  ["half of the times", () => selectTimes([0, times.end / 2]), () => times !== null],
  ["all times", () => selectTimes(null), () => times !== null],
  ["group: none", () => {
    $("group").value = "none";
    reshape();
  }],
  ["group: command", () => {
    $("group").value = "comm";
    reshape();
  }],
  ["callers", () => $("reverse").click()],
  ["callers, off", () => $("reverse").click()],
  ["widest first", () => $("weight").click()],
  ["widest first, off", () => $("weight").click()],
  ["without kernel", () => keys.k()],
  ["table", () => switchTable(true)],
  ["graph", () => switchTable(false)],
  ["a function's callers and callees", () => showFunction(data.names[tree.frame[tree.n >> 1]])],
];

/* Time of the CPU in the page's thread, in ms: on a busy machine it says more than the clock. */
async function busy(page) {
  const { metrics } = await page.send("Performance.getMetrics");
  return 1000 * metrics.find((metric) => metric.name === "TaskDuration").value;
}

async function paint(page, action) {
  const before = await busy(page);
  const ms = await page.evaluate("async () => { const began = performance.now(); (" + action + ")(); " +
    "await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted))); return performance.now() - began; }");
  return [ms, await busy(page) - before];
}

async function measure(browser, file) {
  const page = await browser.open("about:blank", 1400, 900);
  await page.send("Performance.enable", { timeDomain: "threadTicks" });
  await page.goto("file://" + path.resolve(file));
  const opened = await page.evaluate(() => performance.getEntriesByType("navigation")[0].loadEventEnd); /* it is drawn before */
  const lines = [[OPEN, opened, await busy(page)]];
  for (const [name, action, isThere] of ACTIONS)
    if (!isThere || await page.evaluate(isThere)) lines.push([name, ...await paint(page, String(action))]);
  console.log(path.basename(file) + ": " + await page.evaluate(() => number.format(base.n) + " boxes, " + number.format(data.names.length) + " names"));
  console.log("   clock     CPU");
  for (const [name, ...ms] of lines) console.log(ms.map((one) => (one.toFixed(0) + " ms").padStart(8)).join("") + "  " + name);
  if (page.errors.length) throw new Error(page.errors[0]);
  await page.close();
  return lines.filter(([name, , ms]) => name !== OPEN && ms > most).map(([name, , ms]) => name + " takes " + Math.round(ms) + " ms");
}

run(async (browser) => {
  const failures = [];
  for (const file of process.argv.slice(2)) failures.push(...await measure(browser, file));
  return failures;
});
