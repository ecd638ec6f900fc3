// Rules for every page: accessible, quiet, small, no wider than a phone, with feeds that answer.
// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import { check, host } from "./browser.mjs";
import { pages } from "./page_list.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const screenshots = process.env.SCREENSHOTS;
const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };
const allowed = (page) => (page.status ? [page.status] : []);

async function open(tab, page) {
  const reply = await tab.goto(host + page.path, { waitUntil: "load" });
  assert.equal(reply.status(), page.status ?? 200, page.path);
  return reply;
}

// The top of a page is enough: drawing all of a long one takes seconds without a graphics card.
const mostPixels = 4000;

async function shoot(tab, page, look) {
  const height = await tab.evaluate((most) => Math.min(document.documentElement.scrollHeight, most), mostPixels);
  await tab.screenshot({ path: `${screenshots}/${page.name}-${look}.png`, fullPage: true,
    clip: { x: 0, y: 0, width: tab.viewportSize().width, height } });
}

// Returns axe's findings. A dark page is the same document in other colours, so only the rules about
// colours can find more in it. Axe is evaluated, because the page's policy allows only the site's own scripts.
const rulesOfColour = { type: "rule", values: ["color-contrast", "link-in-text-block"] };
async function violations(tab, colorScheme) {
  await tab.evaluate(axe);
  const options = { resultTypes: ["violations"], ...(colorScheme === "dark" && { runOnly: rulesOfColour }) };
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

async function assertFeeds(tab, page) {
  const { found, buttons, shown, copied } = await feedsOf(tab);
  if (page.feeds) {
    assert.deepEqual(found.map(({ type }) => type).sort(), types, "autodiscovery links");
    assert.equal(buttons, 1, "one button to subscribe");
    assert.deepEqual(shown.map(({ type }) => type).sort(), types, "formats behind it");
    assert.deepEqual(copied, [shown[0].href], "the address to copy");
  }
  for (const { type, href, title } of [...found, ...shown]) {
    const reply = await tab.request.get(local(page, href));
    assert.equal(reply.status(), 200, href);
    assert.equal(reply.headers()["content-type"].split(";")[0], type, href);
    assert.notEqual(title, "", `a feed without a title: ${href}`);
  }
}

// Requests outside the page do not follow the browser's host rules.
let ports = {};
export const setPorts = (map) => { ports = map; };
const local = (page, href) => href.replace(host, `http://127.0.0.1:${ports[page.site]}`);

for (const page of pages) {
  check(`page ${page.name}: axe finds no violation in light and dark, and no foreign content or console output`, async (sites) => {
    for (const colorScheme of ["light", "dark"])
      await sites[page.site].visit({ colorScheme }, async (tab) => {
        const reply = await open(tab, page);
        assert.deepEqual(await tab.evaluate(foreign), []);
        await shoot(tab, page, colorScheme === "dark" ? "dark" : "desktop");
        assert.deepEqual(await violations(tab, colorScheme), [], colorScheme);
        const size = (await reply.body()).length;
        assert.ok(size <= 60 * 1024, `${size} bytes`);
        const { text, page: behind } = await tab.evaluate(brightness);
        if (behind === null) assert.equal(colorScheme, "light", "no background in dark mode");
        else assert.ok(colorScheme === "dark" ? text > behind : text < behind, `${text} on ${behind}`);
      }, allowed(page));
  });
  check(`page ${page.name}: a phone of 360 px does not scroll sideways, with and without script, and axe finds no violation`, async (sites) => {
    for (const javaScriptEnabled of [true, false])
      await sites[page.site].visit({ ...phone, javaScriptEnabled }, async (tab) => {
        await open(tab, page);
        if (javaScriptEnabled) await shoot(tab, page, "phone");
        assert.deepEqual(await tab.evaluate(tooWide), []);
        if (javaScriptEnabled) assert.deepEqual(await violations(tab, "light"), []);
      }, allowed(page));
  });
  check(`page ${page.name}: its feeds can be discovered and answer`, async (sites) => {
    await sites[page.site].visit({}, async (tab) => {
      await open(tab, page);
      await assertFeeds(tab, page);
    }, allowed(page));
  });
}
