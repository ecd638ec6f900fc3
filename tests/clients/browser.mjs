// A browser for each site, which fails a check when a page does something forbidden: complains on the
// console, breaks its content security policy, opens a dialog, fetches from elsewhere, or fails to.
// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

// The browser itself uses no network.
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

  // Opens a page as a new visitor and passes it to `look`. Fails when the page does something forbidden.
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

// Runs checks, two at a time: "ok - sentence", "not ok - sentence" and why. Each is a new visitor.
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
