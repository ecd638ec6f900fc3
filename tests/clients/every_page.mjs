// Rules for every page: quiet, small, no wider than a phone, with feeds that answer; some are judged by axe.
// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import { check, screenshots } from "./browser.mjs";
import { pages } from "./page_list.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const isJudged = (page) => page.axe || page.site === "hostile";

async function open(tab, site, page) {
  const reply = await tab.goto(site.host + page.path, { waitUntil: "load" });
  assert.equal(reply.status(), page.status ?? 200, page.path);
  return reply;
}

// Makes the tab a phone of 360 px: a browser's own commands, because the driver makes a phone only in a new context.
async function becomePhone(tab) {
  const session = await tab.context().newCDPSession(tab);
  await session.send("Emulation.setDeviceMetricsOverride", { width: 360, height: 740, deviceScaleFactor: 1, mobile: true });
  await session.send("Emulation.setTouchEmulationEnabled", { enabled: true });
  return session;
}

// The top of a page is enough: drawing all of a long one takes seconds without a graphics card.
const mostPixels = 4000;

async function shoot(tab, page, look) {
  if (!screenshots) return;
  const { width, height } = await tab.evaluate((most) => ({ width: document.documentElement.clientWidth,
    height: Math.min(document.documentElement.scrollHeight, most) }), mostPixels);
  await tab.screenshot({ path: `${screenshots}/${page.name}-${look}.png`, fullPage: true, clip: { x: 0, y: 0, width, height } });
}

// Returns axe's findings. A dark page is the same document in other colours, so only the rules about
// colours can find more in it, and axe is there already. Axe is evaluated, because the page's policy allows only the site's own scripts.
const rulesOfColour = { type: "rule", values: ["color-contrast", "link-in-text-block"] };
async function violations(tab, isDark) {
  if (!isDark) await tab.evaluate(axe);
  const options = { resultTypes: ["violations"], ...(isDark && { runOnly: rulesOfColour }) };
  const { violations: found } = await tab.evaluate((given) => globalThis.axe.run(given), options);
  return found.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map((node) => node.html).join(" | ")}`);
}

// Returns elements that are wider than the window: their tag, class and text.
const tooWide = () => {
  const most = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= most) return [];
  return [...document.body.querySelectorAll("*")].filter((each) => each.getBoundingClientRect().right > most + 1)
    .slice(-3).map((each) => `<${each.localName} class="${each.className}"> ${each.textContent.slice(0, 60)}`)
    .concat(`${document.documentElement.scrollWidth} px of ${most}`);
};

// Returns elements and addresses that no template writes and so must come from data.
const foreign = () => [
  ...[...document.querySelectorAll("script:not([src]), style, iframe, object, embed, base, img[src='x']")],
  ...[...document.querySelectorAll("*")].filter((each) => each.getAttributeNames().some((name) => /^on|^style$/.test(name))),
  ...[...document.querySelectorAll("[href]:not([rel=icon]), [src], [action]")].filter((each) =>
    /^\s*(javascript|data|vbscript):/i.test(each.getAttribute("href") ?? each.getAttribute("src") ?? each.getAttribute("action"))),
].map((each) => each.outerHTML.slice(0, 200));

const brightness = () => {
  const light = (colour) => colour.match(/[\d.]+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 3;
  const ofPage = [document.body, document.documentElement].map((each) => getComputedStyle(each))
    .find((style) => !/, 0\)$|transparent/.test(style.backgroundColor));
  return { text: light(getComputedStyle(document.body).color), page: ofPage ? light(ofPage.backgroundColor) : null };
};

async function feedsOf(tab) {
  return tab.evaluate(() => ({
    found: [...document.querySelectorAll("link[rel=alternate]")].map(({ type, title, href }) => ({ type, title, href })),
    buttons: [...document.querySelectorAll("main a[type]")].filter((each) => each.checkVisibility()).length,
    shown: [...document.querySelectorAll("main a[type]")].map(({ type, href }) => ({ type, href })),
    copied: [...document.querySelectorAll("main #address")].map(({ value }) => value),
  }));
}

const types = ["application/atom+xml", "application/feed+json", "application/rss+xml"];

// The addresses that pages of a site link to as feeds answer each once.
const answers = new Map();
async function answerOf(site, href) {
  if (!answers.has(href)) {
    const reply = await site.fetch(href);
    await reply.body?.cancel();
    answers.set(href, { status: reply.status, type: reply.headers.get("content-type")?.split(";")[0] });
  }
  return answers.get(href);
}

async function assertFeeds(tab, site, page) {
  const { found, buttons, shown, copied } = await feedsOf(tab);
  if (page.feeds) {
    assert.deepEqual(found.map(({ type }) => type).sort(), types, "autodiscovery links");
    assert.equal(buttons, 1, "one button to subscribe");
    assert.deepEqual(shown.map(({ type }) => type).sort(), types, "formats behind it");
    assert.deepEqual(copied, [shown[0].href], "the address to copy");
  }
  for (const { type, href, title } of [...found, ...shown]) {
    assert.deepEqual(await answerOf(site, href), { status: 200, type }, href);
    assert.notEqual(title, "", `a feed without a title: ${href}`);
  }
}

async function assertColours(tab, colorScheme) {
  const { text, page: behind } = await tab.evaluate(brightness);
  if (behind === null) assert.equal(colorScheme, "light", "no background in dark mode");
  else assert.ok(colorScheme === "dark" ? text > behind : text < behind, `${colorScheme}: ${text} on ${behind}`);
}

async function assertNoViolation(tab, page, how) {
  if (isJudged(page)) assert.deepEqual(await violations(tab, how === "dark"), [], how);
}

// What a visitor with a large screen meets, in light and in dark.
async function lookAtDesktop(tab, site, page) {
  const reply = await open(tab, site, page);
  assert.ok(await tab.evaluate(() => matchMedia("(width: 1280px) and (scripting: enabled)").matches), "it is no phone");
  assert.deepEqual(await tab.evaluate(foreign), []);
  const size = (await reply.body()).length;
  assert.ok(size <= 160 * 1024, `${size} bytes`);
  await assertFeeds(tab, site, page);
  for (const colorScheme of ["light", "dark"]) {
    await tab.emulateMedia({ colorScheme });
    await shoot(tab, page, colorScheme === "dark" ? "dark" : "desktop");
    await assertColours(tab, colorScheme);
    await assertNoViolation(tab, page, colorScheme);
  }
  await tab.emulateMedia({ colorScheme: "light" });
}

async function lookAtPhone(tab, site, page) {
  const session = await becomePhone(tab);
  await open(tab, site, page);
  assert.ok(await tab.evaluate(() => matchMedia("(width: 360px) and (pointer: coarse)").matches), "it is a phone");
  await shoot(tab, page, "phone");
  assert.deepEqual(await tab.evaluate(tooWide), []);
  await assertNoViolation(tab, page, "phone");
  await session.send("Emulation.setScriptExecutionDisabled", { value: true });
  await open(tab, site, page);
  assert.ok(await tab.evaluate(() => matchMedia("(width: 360px) and (scripting: none)").matches), "it runs no script");
  assert.deepEqual(await tab.evaluate(tooWide), [], "without script");
  await session.send("Emulation.setScriptExecutionDisabled", { value: false });
  await session.detach();
}

for (const page of pages) {
  const judged = isJudged(page) ? ", and axe finds no violation" : "";
  check(`page ${page.name}: no foreign content, readable in light and dark, feeds that answer, no wider than a phone${judged}`, async (sites) => {
    const site = sites[page.site];
    await site.visit({ colorScheme: "light" }, async (tab) => {
      await lookAtDesktop(tab, site, page);
      await lookAtPhone(tab, site, page);
    }, page.status ? [page.status] : []);
  });
}
