/* SPDX-License-Identifier: GPL-2.0-or-later */
/* numbers.js PAGE…: compares each page with the table (.txt) and the picture (.svg) of the same stacks, beside it. */
"use strict";
const fs = require("fs");
const path = require("path");
const { run } = require("./chromium.js");

let failures = 0;

function equal(what, got, wanted) {
  if (JSON.stringify(got) === JSON.stringify(wanted)) return;
  failures++;
  console.log("FAIL: " + what + "\n  page: " + JSON.stringify(got) + "\n  text: " + JSON.stringify(wanted));
}

/* "numbers|function", without the module, sorted: the order of equal lines says nothing. */
const line = (numbers, name) => numbers.join(" ").replace(/\s+/g, " ").trim() + "|" + name.replace(/ \[[^ \]]*\]$/, "");

function ofText(file) {
  const lines = fs.readFileSync(file, "utf8").split("\n");
  const rows = lines.slice(lines.findIndex((one) => one.endsWith(" function")) + 1);
  return rows.filter((one) => one).map((one) => one.match(/^((?: *[-+]?[\d,.]+%?)+)  (.*)$/)).map((found) => line([found[1]], found[2])).sort();
}

/* The columns of the text among those of the page, and its rows: a difference leaves out what did not change. */
async function ofPage(page) {
  const { head, rows } = await page.evaluate(() => ({
    head: [...document.querySelectorAll("#functions th")].map((cell) => cell.textContent),
    rows: [...document.querySelectorAll("#functions tbody tr")].map((one) => [...one.children].map((cell) => cell.textContent)),
  }));
  const diff = head.includes("change of self");
  const wanted = diff ? ["change of self", "self before", "self now", "change of total"] : ["self", "total"];
  /* The page has the number first, the table of one profile the share. */
  const turned = (text) => (diff ? text : text.split(/\s+/).reverse().join(" "));
  return rows.map((cells) => [wanted.map((name) => turned(cells[head.indexOf(name)])), cells[cells.length - 1]])
    .filter(([cells]) => !diff || cells[0] !== "0" || cells[3] !== "0").map(([cells, name]) => line(cells, name)).sort();
}

/* What the boxes of the picture tell, and what the page tells of the same places. */
async function comparePicture(page, name, file) {
  const titles = fs.readFileSync(file, "utf8").split("\n").map((one) => one.match(/^<g><title>(.*)<\/title>/)).filter((one) => one).map((one) => one[1]);
  const told = await page.evaluate(() => [...Array(tree.n).keys()].map((i) => {
    const frame = tree.frame[i], module = data.modules[frame];
    let text = data.names[frame] + (module ? " [" + module + "]" : "") + " (" + number.format(tree.total[i]) + " " + data.unit + ", " + percent(tree.total[i], wholeNow);
    if (data.diff) text += "; before " + valueBefore(tree.totalBefore[i]) + "; change " + signed(change(i));
    return text + ")";
  }));
  equal(name + ": boxes of the picture that the page has not", titles.filter((title) => !told.includes(title)), []);
}

async function compare(browser, file) {
  const page = await browser.open("file://" + path.resolve(file), 1280, 720), name = path.basename(file, ".html");
  const groups = await page.evaluate(() => [...document.querySelectorAll("#group option")].map((option) => option.value));
  const text = ofText(file.replace(/html$/, "txt")), totals = await page.evaluate(() => [wholeNow, wholeBefore]);
  await comparePicture(page, name, file.replace(/html$/, "svg"));
  await page.click("#table");
  equal(name + ": there are numbers", text.length > 0, true);
  for (const group of groups) {
    await page.select("#group", group);
    equal(name + " grouped by " + group, await ofPage(page), text);
    equal(name + " grouped by " + group + ": the totals", await page.evaluate(() => [tree.total[0], tree.totalBefore[0]]), totals);
  }
  equal(name + ": no script fails", page.errors, []);
  await page.close();
  return groups.length;
}

run(async (browser) => {
  let nr = 0;
  for (const file of process.argv.slice(2)) nr += await compare(browser, file);
  console.log(nr + " groupings compared");
  return failures || !nr ? [failures + " failures"] : [];
});
