/* SPDX-License-Identifier: GPL-2.0-or-later */
/* speedscope.js FILE RELEASE-FOLDER FRAME TOTAL SCREENSHOTS: loads a file into speedscope: its table has the frame with the total. */
"use strict";
const fs = require("fs");
const os = require("os");
const path = require("path");
const { run } = require("./chromium.js");

const [file, release, frame, total, folder] = process.argv.slice(2);

run(async (browser) => {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "speedscope-")), script = path.join(home, "profile.js");
  fs.writeFileSync(script, "speedscope.loadFileFromBase64(" + JSON.stringify(path.basename(file)) + ", \"" +
    fs.readFileSync(file).toString("base64") + "\")");
  try {
    const page = await browser.open("file://" + path.resolve(release) + "/index.html#localProfilePath=" + script, 800, 600);
    await page.wait(() => document.body.textContent.includes("Sandwich"));
    await page.evaluate(() => [...document.querySelectorAll("div")].filter((e) => /Sandwich$/.test(e.textContent)).pop().click());
    await page.wait((name, number) => [...document.querySelectorAll("tr")].some((row) =>
      row.textContent.includes(name) && row.textContent.startsWith(number + " (")), frame, total);
    await page.screenshot(path.join(folder, "speedscope-" + path.basename(file) + ".png"));
  } finally {
    fs.rmSync(home, { recursive: true });
  }
  return [];
}, "--allow-file-access-from-files");
