/* SPDX-License-Identifier: GPL-2.0-or-later */
/* speedscope.js FILE RELEASE-FOLDER FRAME SCREENSHOTS: loads a file into speedscope and looks for a frame in its table. */
"use strict";
const fs = require("fs");
const os = require("os");
const path = require("path");
const puppeteer = require("puppeteer-core");

const [file, release, frame, folder] = process.argv.slice(2);

async function main() {
  const script = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "speedscope-")), "profile.js");
  const browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--allow-file-access-from-files"],
  });
  fs.writeFileSync(script, "speedscope.loadFileFromBase64(" + JSON.stringify(path.basename(file)) + ", \"" +
    fs.readFileSync(file).toString("base64") + "\")");
  try {
    const page = await browser.newPage();
    page.on("dialog", (dialog) => dialog.dismiss());
    await page.goto("file://" + path.resolve(release) + "/index.html#localProfilePath=" + script);
    await page.waitForFunction(() => document.body.textContent.includes("Sandwich"), { timeout: 30000 });
    await page.evaluate(() => [...document.querySelectorAll("div")].filter((e) => /Sandwich$/.test(e.textContent)).pop().click());
    await page.waitForFunction((name) => document.body.textContent.includes(name), { timeout: 15000 }, frame);
    await page.screenshot({ path: path.join(folder, "speedscope-" + path.basename(file) + ".png") });
  } finally {
    await browser.close();
    fs.rmSync(path.dirname(script), { recursive: true });
  }
}

main().then(() => process.exit(0), (error) => {
  console.log("FAIL: " + error.message);
  process.exit(1);
});
