/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screenshots.js PAGE DIFF FOLDER: the pictures of the documentation, in headless Chromium. PAGE has times. */
"use strict";
const path = require("path");
const { run } = require("./chromium.js");

const [html, diff, folder] = process.argv.slice(2);
const WIDTH = 1200, HEIGHT = 620;

/* Each picture: its page, and what is done to it. */
const PICTURES = [
  ["light", html, async () => {}],
  ["dark", html, async (page) => {
    await page.click("#theme");
    await page.click("#weight");
  }],
  ["times", html, async (page) => {
    await page.type("#search", "sqlite|Vdbe");
    await page.drag("#strip", [0.3, 0.5], [0.53, 0.5]);
  }],
  ["function", html, async (page) => page.evaluate(() => showFunction("_PyEval_EvalFrameDefault"))],
  ["diff", diff, async (page) => page.select("#side", "both")],
];

run(async (browser) => {
  for (const [name, file, prepare] of PICTURES) {
    const page = await browser.open("file://" + path.resolve(file), WIDTH, HEIGHT);
    await prepare(page);
    if (page.errors.length) throw new Error(page.errors[0]);
    await page.screenshot(path.join(folder, name + ".png"));
    await page.close();
  }
  return [];
}, "--hide-scrollbars");
