/* SPDX-License-Identifier: GPL-2.0-or-later */
/* large.js HTML SCREENSHOTS: a page of a million stacks opens and zooms. */
"use strict";
const path = require("path");
const { run } = require("./chromium.js");

const [html, folder] = process.argv.slice(2);

const state = (page) => page.evaluate(() => ({
  drawn: Number(document.body.dataset.drawn), milliseconds: Number(document.body.dataset.milliseconds), nodes: tree.n,
}));

run(async (browser) => {
  const failures = [];
  const began = Date.now(), page = await browser.open("file://" + path.resolve(html), 1280, 720), loaded = Date.now() - began;
  const first = await state(page);
  await page.evaluate(() => zoom(1));
  const zoomed = await state(page);
  console.log(first.nodes + " nodes, opened in " + loaded + " ms, drew " + first.drawn + " boxes in " + first.milliseconds +
    " ms, zoomed in " + zoomed.milliseconds + " ms");
  /* The bounds are for a busy machine without a graphics card; they catch work that grows with the number of stacks. */
  if (first.nodes < 1e6) failures.push("nodes are missing");
  if (loaded > 60000) failures.push("opens in more than a minute");
  if (first.milliseconds > 500 || zoomed.milliseconds > 500) failures.push("draws in more than half a second");
  if (first.drawn > 10000) failures.push("draws what cannot be seen");
  if (page.errors.length) failures.push(page.errors[0]);
  await page.screenshot(path.join(folder, "large.png"));
  return failures;
});
