// A browser for each site, and what a page must never do while a check looks at it: complain on the
// console, break its content security policy, open a dialog, fetch from elsewhere, or fail to.
// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

// Nothing of the browser's own goes over the network.
const quiet = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--disable-default-apps", "--disable-domain-reliability"];
export const host = "http://varve.test";
const elsewhere = /^https?:\/\/(?!varve\.test[/:])/;

export class Site {
  // port: of the server that answers for http://varve.test
  static async open(name, port) {
    const site = new Site();
    site.name = name;
    site.browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: [...quiet, `--host-resolver-rules=MAP varve.test:80 127.0.0.1:${port}, MAP * ~NOTFOUND`],
    });
    return site;
  }

  close() {
    return this.browser.close();
  }

  // A page of a fresh visitor; `look` gets it. Fails when the page did what no page may do.
  //   options  of playwright's newContext; allowed: statuses of 400 and above that are expected
  async visit(options, look, allowed = []) {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    const complaints = watch(page, allowed);
    await context.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (event) =>
        console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
    });
    await context.route(elsewhere, (route) =>
      route.fulfill({ status: 200, contentType: "text/html", body: "<title>elsewhere</title>" }));
    try {
      await look(page, context);
      assert.deepEqual(complaints, [], "what the pages did beside");
    } finally {
      await context.close();
    }
  }
}

function watch(page, allowed) {
  const complaints = [];
  const expected = (text) => allowed.some((status) => text.includes(`status of ${status}`));
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
  return complaints;
}

// Checks, two at a time: "ok - sentence", "not ok - sentence" and why. Each visits as a visitor of its own.
const checks = [];
const checksAtOnce = 2;
export function check(sentence, run) {
  checks.push({ sentence, run });
}

const most_seconds = 90;

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
