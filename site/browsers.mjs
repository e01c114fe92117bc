// One small interface to three browsers: Chromium and Firefox by puppeteer, WebKitGTK by its WebDriver.
import { spawn } from "node:child_process";
import puppeteer from "puppeteer-core";
import { freePort } from "../test/runtimes/hosts/server.mjs";

const pause = (milliseconds) => new Promise((later) => setTimeout(later, milliseconds));

/** The methods of both kinds of page, which have besides: evaluate, click, type, upload, goto and close. */
class Page {
  /** Waits until code is true in the page, and returns its value. */
  async until(code, what = code, seconds = 300) {
    const end = Date.now() + seconds * 1000;
    while (Date.now() < end) {
      const value = await this.evaluate(code).catch(() => undefined);
      if (value) return value;
      await pause(50);
    }
    throw new Error(`not within ${seconds} s: ${what}`);
  }

  /** Scrolls an element out from under the fixed header. By itself, WebKitGTK scrolls only down to one. */
  center(selector) {
    return this.evaluate(`document.querySelector(${JSON.stringify(selector)})?.scrollIntoView({ block: "center" })`);
  }

  text(selector) {
    return this.evaluate(`document.querySelector(${JSON.stringify(selector)})?.textContent`);
  }

  /** Chooses an option of a list with the keyboard's events. */
  choose(selector, value) {
    return this.evaluate(`{
      const field = document.querySelector(${JSON.stringify(selector)});
      field.value = ${JSON.stringify(value)};
      field.dispatchEvent(new Event("input", { bubbles: true }));
      field.dispatchEvent(new Event("change", { bubbles: true }));
    }`);
  }
}

/** Firefox sometimes reports this for an icon or a script if the page is left while the service worker sends it. */
const INTERRUPTED = /^Failed to load .* A ServiceWorker intercepted the request and encountered an unexpected error\.$/;

class PuppeteerPage extends Page {
  constructor(browser, page) {
    super();
    Object.assign(this, { browser, page, errors: [] });
    page.on("pageerror", ({ message }) => {
      if (!INTERRUPTED.test(message)) this.errors.push(message);
    });
  }

  goto(url) {
    return this.page.goto(url, { waitUntil: "load" });
  }

  evaluate(code) {
    return this.page.evaluate(`(() => { return ${code.startsWith("{") ? `(() => ${code})()` : code}; })()`);
  }

  async click(selector) {
    await this.center(selector);
    return this.page.click(selector);
  }

  async type(selector, text) {
    await this.click(selector);
    await this.page.keyboard.down("Control");
    await this.page.keyboard.press("a");
    await this.page.keyboard.up("Control");
    await this.page.keyboard.press("Backspace");
    await this.page.type(selector, text);
  }

  async upload(selector, path) {
    const field = await this.page.$(selector);
    await field.uploadFile(path);
  }

  /** Drops files and folders, as if they came from the desktop: Chromium alone. */
  async drop(selector, paths) {
    const element = await this.page.$(selector);
    await element.scrollIntoView();
    const { x, y } = await element.clickablePoint();
    const client = await this.page.createCDPSession();
    const data = { items: [], files: paths, dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"])
      await client.send("Input.dispatchDragEvent", { type, x, y, data });
    await client.detach();
  }

  close() {
    return this.browser.close();
  }
}

export const launchChromium = () =>
  puppeteer.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });

export async function openChromium() {
  const browser = await launchChromium();
  return new PuppeteerPage(browser, await browser.newPage());
}

export async function openFirefox() {
  const browser = await puppeteer.launch({
    browser: "firefox",
    executablePath: "/usr/bin/firefox-esr",
    headless: true,
  });
  return new PuppeteerPage(browser, await browser.newPage());
}

const MINI_BROWSER = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser";
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

const ENTER = "\uE007";

/** https://www.w3.org/TR/webdriver2/ */
class WebDriverPage extends Page {
  errors = [];

  constructor(child, address) {
    super();
    Object.assign(this, { child, address });
  }

  async send(method, path, body) {
    const init = method === "POST" ? { body: JSON.stringify(body ?? {}) } : {};
    const response = await fetch(this.address + path, { method, ...init });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`WebDriver ${path}: ${value.error} ${value.message}`);
    return value;
  }

  goto(url) {
    return this.send("POST", "/url", { url });
  }

  evaluate(code) {
    return this.send("POST", "/execute/sync", {
      script: `return ${code.startsWith("{") ? `(() => ${code})()` : code};`,
      args: [],
    });
  }

  async find(selector) {
    return (await this.send("POST", "/element", { using: "css selector", value: selector }))[ELEMENT];
  }

  async click(selector) {
    const id = await this.find(selector);
    await this.center(selector);
    await this.send("POST", `/element/${id}/click`);
  }

  async type(selector, text) {
    const id = await this.find(selector);
    await this.center(selector);
    await this.send("POST", `/element/${id}/clear`);
    if (text) await this.send("POST", `/element/${id}/value`, { text: text.replaceAll("\n", ENTER) });
    else await this.choose(selector, "");
  }

  async upload(selector, path) {
    await this.send("POST", `/element/${await this.find(selector)}/value`, { text: path });
  }

  async close() {
    await this.send("DELETE", "").catch(() => {});
    process.kill(-this.child.pid, "SIGKILL");
  }
}

export async function openWebKit() {
  const port = await freePort();
  // WebKit's own sandbox refuses to run as root.
  const env = { ...process.env, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1" };
  const child = spawn("xvfb-run", ["-a", "WebKitWebDriver", `--port=${port}`], {
    env,
    stdio: "ignore",
    detached: true,
  });
  const address = `http://127.0.0.1:${port}/session`;
  const options = { binary: MINI_BROWSER, args: ["--automation"] };
  const body = JSON.stringify({ capabilities: { alwaysMatch: { "webkitgtk:browserOptions": options } } });
  for (let attempt = 0; ; attempt++) {
    try {
      const { value } = await (await fetch(address, { method: "POST", body })).json();
      if (!value.sessionId) throw new Error(value.message);
      return new WebDriverPage(child, `${address}/${value.sessionId}`);
    } catch (error) {
      if (attempt === 100 || error.cause?.code !== "ECONNREFUSED") throw error;
      await pause(100);
    }
  }
}
