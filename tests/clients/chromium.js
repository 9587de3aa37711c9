/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Headless Chromium over its debugging pipe (descriptors 3 and 4, messages ended by a zero byte): what the tests of this
 * folder need of it, without a package of npm.
 */
"use strict";
const { spawn } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");

const ANSWER_MS = 120000;

/* A text that calls a function in the page: functions travel as their source, arguments as JSON. */
const call = (what, args) => "(" + what + ")(" + args.map((arg) => JSON.stringify(arg)).join(", ") + ")";

const KEYS = { Enter: [13, "\r"], Escape: [27], ArrowUp: [38], ArrowDown: [40], ArrowLeft: [37], ArrowRight: [39],
  c: [67, "c"], f: [70, "f"], k: [75, "k"], l: [76, "l"], "?": [191, "?"] };

class Page {
  constructor(browser, session, target) {
    Object.assign(this, { browser, session, target, requests: [], errors: [], dialogs: [], answer: "" });
  }

  send(method, parameters) {
    return this.browser.send(method, parameters, this.session);
  }

  event(method, parameters) {
    if (method === "Network.requestWillBeSent") this.requests.push(parameters.request.url);
    if (method === "Runtime.exceptionThrown") this.errors.push(parameters.exceptionDetails.exception.description);
    if (method === "Page.loadEventFired" && this.loaded) this.loaded();
    if (method === "Page.javascriptDialogOpening") {
      this.dialogs.push(parameters.type);
      this.send("Page.handleJavaScriptDialog", { accept: parameters.type === "prompt", promptText: this.answer });
    }
  }

  async goto(url) {
    const loaded = new Promise((resolve) => (this.loaded = resolve));
    await this.send("Page.navigate", { url });
    await loaded;
  }

  async evaluate(what, ...args) {
    const answer = await this.send("Runtime.evaluate", { expression: call(what, args), returnByValue: true, awaitPromise: true });
    if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.exception.description);
    return answer.result.value;
  }

  /* Until the function gives something true; asked once per frame, so a page that never does ends the test. */
  async wait(what, ...args) {
    const expression = "new Promise((resolve, reject) => { const end = performance.now() + 30000; const look = () => { " +
      "if (" + call(what, args) + ") resolve(true); else if (performance.now() > end) reject(new Error('never: ' + " +
      JSON.stringify(String(what)) + ")); else requestAnimationFrame(look); }; look(); })";
    const answer = await this.send("Runtime.evaluate", { expression, awaitPromise: true });
    if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.exception.description);
  }

  url() {
    return this.evaluate(() => location.href);
  }

  async clickAt(x, y, button) {
    const at = { x, y, button: button || "left", clickCount: 1 };
    await this.send("Input.dispatchMouseEvent", { type: "mousePressed", ...at });
    await this.send("Input.dispatchMouseEvent", { type: "mouseReleased", ...at });
  }

  /* With the left button, between two places of an element, each given as shares of its width and height. */
  async drag(selector, from, to) {
    const area = await this.evaluate((wanted) => {
      const box = document.querySelector(wanted).getBoundingClientRect();
      return { x: box.left, y: box.top, width: box.width, height: box.height };
    }, selector);
    for (const [type, [x, y]] of [["mousePressed", from], ["mouseMoved", to], ["mouseReleased", to]])
      await this.send("Input.dispatchMouseEvent", { type, x: area.x + x * area.width, y: area.y + y * area.height,
        button: "left", buttons: type === "mouseReleased" ? 0 : 1, clickCount: 1 });
  }

  async click(selector) {
    const at = await this.evaluate((wanted) => {
      const box = document.querySelector(wanted).getBoundingClientRect();
      return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
    }, selector);
    await this.clickAt(at.x, at.y);
  }

  async press(key) {
    const [windowsVirtualKeyCode, text] = KEYS[key];
    await this.send("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", key, code: key, windowsVirtualKeyCode, text });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", key, code: key, windowsVirtualKeyCode });
  }

  async type(selector, text) {
    await this.evaluate((wanted) => document.querySelector(wanted).focus(), selector);
    await this.send("Input.insertText", { text });
  }

  select(selector, value) {
    return this.evaluate((wanted, chosen) => {
      const element = document.querySelector(wanted);
      element.value = chosen;
      element.dispatchEvent(new Event("change", { bubbles: true }));
    }, selector, value);
  }

  async screenshot(file) {
    fs.writeFileSync(file, Buffer.from((await this.send("Page.captureScreenshot", { format: "png" })).data, "base64"));
  }

  close() {
    return this.browser.send("Target.closeTarget", { targetId: this.target });
  }
}

class Browser {
  constructor(process, home) {
    Object.assign(this, { process, home, waiting: new Map(), pages: new Map(), number: 0, rest: "" });
    process.stdio[4].on("data", (data) => this.receive(data.toString("latin1")));
    process.stdio[3].on("error", () => this.fail(new Error("Chromium does not listen")));
    process.on("exit", () => this.fail(new Error("Chromium has ended")));
  }

  /* Bytes, until a message is whole: a character may be cut in two. */
  receive(text) {
    const parts = (this.rest + text).split("\0");
    this.rest = parts.pop();
    for (const part of parts) this.take(JSON.parse(Buffer.from(part, "latin1").toString()));
  }

  take(message) {
    const waiting = this.waiting.get(message.id);
    if (!waiting) {
      const page = this.pages.get(message.sessionId);
      if (page) page.event(message.method, message.params);
      return;
    }
    this.waiting.delete(message.id);
    clearTimeout(waiting.timer);
    if (message.error) waiting.reject(new Error(message.error.message));
    else waiting.resolve(message.result);
  }

  fail(error) {
    this.failure = error;
    for (const waiting of this.waiting.values()) waiting.reject(error);
  }

  send(method, params, sessionId) {
    if (this.failure) return Promise.reject(this.failure);
    const id = ++this.number;
    this.process.stdio[3].write(JSON.stringify({ id, method, params: params || {}, sessionId }) + "\0");
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(method + ": no answer")), ANSWER_MS);
      this.waiting.set(id, { resolve, reject, timer });
    });
  }

  async open(url, width, height) {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId);
    this.pages.set(sessionId, page);
    for (const domain of ["Page", "Runtime", "Network"]) await page.send(domain + ".enable");
    await page.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
    await page.goto(url);
    return page;
  }

  async close() {
    const ended = new Promise((resolve) => this.process.once("close", resolve));
    await this.send("Browser.close").catch(() => {});
    if (this.process.exitCode === null && this.process.signalCode === null) await ended;
    fs.rmSync(this.home, { recursive: true, force: true });
  }
}

function launch(...flags) {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "chromium-"));
  const program = process.env.CHROMIUM || "/usr/bin/chromium";
  const child = spawn(program, ["--headless", "--remote-debugging-pipe", "--no-sandbox", "--disable-dev-shm-usage",
    "--no-first-run", "--disable-background-networking", "--disable-component-update", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader", "--user-data-dir=" + home, ...flags],
    { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  return new Browser(child, home);
}

/* Ends the program: with status 1 after a line for each failure in the list that `work(browser)` returns, or for what it throws. */
async function run(work, ...flags) {
  const browser = launch(...flags);
  let failures;
  try {
    failures = await work(browser);
  } catch (error) {
    failures = [error.stack];
  } finally {
    await browser.close();
  }
  for (const failure of failures) console.log("FAIL: " + failure);
  process.exit(failures.length ? 1 : 0);
}

module.exports = { run };
