// One browser for all sites, which fails a check when a page does something forbidden: complains on the
// console, breaks its content security policy, opens a dialog, fetches from elsewhere, or fails to.
// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

// The browser itself uses no network.
const quiet = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--disable-default-apps", "--disable-domain-reliability"];
// The base_url of each world that is visited, without its path.
export const hosts = {
  sample: "http://varve.test", many: "http://many.varve.test", hostile: "http://hostile.varve.test",
  feeds: "http://feeds.varve.test",
  tunnel: "http://tunnel.test",  // another name of the sample
};
export const host = hosts.sample;

// A folder for pictures of the pages, or nothing: drawing them takes as long as all else.
export const screenshots = process.env.SCREENSHOTS;

// ports: { sample: 1234, … }, of the servers that answer for those hosts
export function launch(ports) {
  const rules = Object.entries(ports).map(([name, port]) => `MAP ${new URL(hosts[name]).host}:80 127.0.0.1:${port}`);
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [...quiet, `--host-resolver-rules=${[...rules, "MAP * ~NOTFOUND"].join(", ")}`],
  });
}

// Far more than any check takes, so that only one that hangs is late.
const most_seconds = 120;

export class Site {
  constructor(browser, name, port) {
    this.browser = browser;
    this.port = port;
    this.free = {};
    this.host = hosts[name];
    this.elsewhere = new RegExp(`^https?://(?!${this.host.slice(7).replaceAll(".", "\\.")}[/:])`);
  }

  // Requests outside the browser do not follow its host rules.
  fetch(address) {
    return fetch(address.replace(this.host, `http://127.0.0.1:${this.port}`));
  }

  // Passes a tab with nothing in it to `look`, as a new visitor. Fails when a page does something forbidden.
  //   options  of playwright's newContext; allowed: statuses of 400 and above that are expected
  // A tab costs as much as six pages: one that served a visitor well is cleared and serves the next.
  async visit(options, look, allowed = []) {
    const key = JSON.stringify(options);
    const tab = this.free[key]?.pop() ?? await this.open(options);
    tab.complaints.length = 0;
    tab.allowed = allowed;
    let isClear = false;
    try {
      await look(tab.page, tab.context);
      assert.deepEqual(tab.complaints, [], "what the pages did beside");
      isClear = await clear(tab);
    } finally {
      if (isClear) (this.free[key] ??= []).push(tab);
      else await tab.context.close();
    }
  }

  async open(options) {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    const page = await context.newPage();
    const tab = { context, page, complaints: [], allowed: [] };
    page.setDefaultTimeout(most_seconds * 1000);
    watch(tab, this.elsewhere);
    await context.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (event) =>
        console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
    });
    await context.route(this.elsewhere, (route) =>
      route.fulfill({ status: 200, contentType: "text/html", body: "<title>elsewhere</title>" }));
    return tab;
  }
}

// Returns whether nothing is left of a visitor, whose browser may have kept something for the site.
async function clear({ context, page }) {
  for (const other of context.pages()) if (other !== page) await other.close();
  const { cookies, origins } = await context.storageState();
  await page.unrouteAll();
  await page.goto("about:blank");
  return cookies.length + origins.length === 0;
}

function watch(tab, elsewhere) {
  const { page, complaints } = tab;
  const expected = (text) => tab.allowed.some((status) => text.includes(`status of ${status}`));
  page.on("console", (message) => {
    const bad = ["error", "warning"].includes(message.type());
    if (bad && !expected(message.text())) complaints.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("requestfailed", (request) => {
    const why = request.failure()?.errorText ?? "";
    if (why !== "net::ERR_ABORTED") complaints.push(`not fetched: ${request.url()} ${why}`);
  });
  page.on("request", (request) => {
    const framed = request.isNavigationRequest();
    if (elsewhere.test(request.url()) && !framed) complaints.push(`fetched from elsewhere: ${request.url()}`);
  });
}

// Runs checks, two at a time: "ok - sentence", "not ok - sentence" and why. Each is a new visitor.
const checks = [];
const checksAtOnce = 2;
export function check(sentence, run) {
  checks.push({ sentence, run });
}

async function runOne({ sentence, run }, sites) {
  const started = Date.now();
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done in ${most_seconds} s`)), most_seconds * 1000);
  });
  let why;
  try {
    await Promise.race([run(sites), late]);
  } catch (error) {
    why = error;
  }
  clearTimeout(timer);
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  const reason = why ? "\n" + String(why.stack ?? why).slice(0, 3000).replace(/^/gm, "    ") : "";
  console.log(`${why ? "not ok" : "ok"} - ${sentence} (${seconds} s)${reason}`);
  return !why;
}

export async function runChecks(sites, pattern) {
  const left = checks.filter(({ sentence }) => sentence.includes(pattern));
  let passed = true;
  const runSome = async () => {
    for (let each = left.shift(); each; each = left.shift())
      passed = (await runOne(each, sites)) && passed;
  };
  await Promise.all(Array.from({ length: checksAtOnce }, runSome));
  return passed;
}
