// What visitors do: find an object, read its history, follow links, make a watch list.
// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";

import { check, host, hosts, screenshots } from "./browser.mjs";
import { of } from "./page_list.mjs";

const gene = host + of("history").path;
const searchBox = (tab) => tab.getByRole("combobox", { name: /common name/ }).or(tab.getByRole("searchbox", { name: /common name/ })).first();

async function search(tab, text) {
  await searchBox(tab).fill(text);
  await tab.getByRole("button", { name: "Find" }).first().click();
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "" : ", without script";

  check(`A visitor finds a gene by its label and reads its history${how}`, async (sites) => {
    await sites.sample.visit({ javaScriptEnabled }, async (tab) => {
      await tab.goto(host + "/");
      await search(tab, "unc-26");
      await tab.getByRole("main").getByRole("link", { name: "unc-26" }).first().click();
      assert.match(tab.url(), /\/history\?class=Gene&name=WBGene00006763$/);
      await tab.getByRole("heading", { level: 1, name: /unc-26/ }).waitFor();
      for (const version of ["WS188", "WS187", "WS186"])
        await tab.locator(`[id="${version}"]`).first().waitFor();
    });
  });

  check(`A visitor finds a gene by its name in the database${how}`, async (sites) => {
    await sites.sample.visit({ javaScriptEnabled }, async (tab) => {
      await tab.goto(host + "/");
      await search(tab, "WBGene00006763");
      await tab.locator("main a[href*='name=WBGene00006763']").first().waitFor();
    });
  });

  check(`A visitor makes a watch list of two objects, whose feeds and OPML answer${how}`, async (sites) => {
    await sites.sample.visit({ javaScriptEnabled }, async (tab) => {
      await tab.goto(host + "/");
      for (const name of ["unc-26", "daf-16"]) {
        await search(tab, name);
        await tab.getByRole("button", { name: /^Watch/ }).first().click();
        await tab.getByRole("heading", { name: /watch/i }).first().waitFor();
      }
      assert.equal(await tab.locator("input[type=checkbox][name=object]:checked").count(), 2);
      const links = await tab.locator("main a[type], main a[href*='/opml?']").evaluateAll((all) => all.map((each) => each.href));
      assert.equal(links.length, 4, links.join(" "));
      for (const link of links) {
        assert.match(link, /Gene(:|%3A)WBGene00006763.*Gene(:|%3A)WBGene00000912|WBGene00000912.*WBGene00006763/);
        const status = await statusOf(tab, link, javaScriptEnabled);
        assert.equal(status, 200, link);
      }
    });
  });

  check(`A visitor pastes names, sends a file, chooses among candidates and keeps the list${how}`, async (sites) => {
    await sites.sample.visit({ javaScriptEnabled }, async (tab) => {
      await tab.goto(host + "/watch");
      await tab.getByLabel(/one name per line/).fill("Gene WBGene00006763\nnobody\nunc-26");
      await tab.getByRole("button", { name: "Add", exact: true }).click();
      await tab.getByText("no object has that name").waitFor();
      assert.equal(await tab.getByLabel(/one name per line/).inputValue(), "nobody\n");
      await tab.getByLabel(/one name per line/).fill("");
      await tab.locator("input[name=object][value='Gene_name:unc-26']").check();
      await tab.getByLabel(/Or choose a file/).setInputFiles({ name: "a.txt", mimeType: "text/plain",
        buffer: Buffer.from("\ufeffname\tnote\r\nWBGene00000912\tmine\r\n") });
      await tab.getByRole("button", { name: "Add", exact: true }).click();
      await tab.waitForURL(/WBGene00000912/);
      assert.equal(await tab.locator("input[type=checkbox][name=object]:checked").count(), 3);
      assert.ok(tab.url().endsWith("&pasted=name"), "the heading of the column is asked about: " + tab.url());
      await tab.getByRole("button", { name: "Short address" }).click();
      await tab.waitForURL(/\/watch\/[a-z2-7]{16}\?pasted=name$/);
      const short = tab.url().replace(/\?.*/, "");
      await tab.getByRole("main").getByRole("link", { name: short, exact: true }).waitFor();
      const feeds = await tab.locator("main .subscribe a").evaluateAll((all) => all.map((each) => each.href));
      assert.equal(feeds.length, 3);
      for (const feed of feeds) assert.match(feed, /\/rss\?watch=[a-z2-7]{16}/);
      assert.equal(await statusOf(tab, feeds[0], javaScriptEnabled), 200);
    });
  });

  check(`A visitor removes an object from the watch list${how}`, async (sites) => {
    await sites.sample.visit({ javaScriptEnabled }, async (tab) => {
      await tab.goto(host + of("watch-list").path);
      await tab.locator("input[type=checkbox][name=object]").first().uncheck();
      await tab.getByRole("button", { name: /Remove unchecked/ }).click();
      await tab.waitForURL((url) => url.searchParams.getAll("object").length === 1);
      assert.equal(await tab.locator("input[type=checkbox][name=object]").count(), 1);
    });
  });
}

// Fetched as a page of the browser does it; without script by opening it.
async function statusOf(tab, link, scripted) {
  if (scripted) return tab.evaluate(async (address) => (await fetch(address)).status, link);
  const other = await tab.context().newPage();
  const download = other.waitForEvent("download").then(() => 200, () => 0);
  const reply = await other.goto(link).catch(() => null);
  return reply ? reply.status() : download;
}

check("Suggestions appear while a visitor types, and the keyboard selects one", async (sites) => {
  await sites.sample.visit({}, async (tab) => {
    await tab.goto(host + "/");
    const box = searchBox(tab);
    await box.focus();
    await tab.keyboard.type("unc-2");
    const options = tab.getByRole("option").filter({ visible: true, hasText: "unc-26" });
    await options.first().waitFor();
    assert.equal(await box.getAttribute("aria-expanded"), "true");
    await tab.keyboard.press("ArrowDown");
    const active = await box.getAttribute("aria-activedescendant");
    assert.ok(active && (await tab.locator(`[id="${active}"]`).getAttribute("aria-selected")) === "true", "the chosen one is told");
    if (screenshots) await tab.screenshot({ path: `${screenshots}/suggestions-desktop.png` });
    await tab.keyboard.press("Enter");
    await tab.waitForURL(/\/history\?/);
    await tab.getByRole("heading", { level: 1 }).waitFor();
  });
});

check("Escape closes the suggestions and keeps the typed text", async (sites) => {
  await sites.sample.visit({}, async (tab) => {
    await tab.goto(host + "/");
    const box = searchBox(tab);
    await box.focus();
    await tab.keyboard.type("unc-2");
    await tab.getByRole("option").filter({ visible: true, hasText: "unc-26" }).first().waitFor();
    await tab.keyboard.press("Escape");
    await tab.waitForFunction(() => document.activeElement.getAttribute("aria-expanded") === "false");
    assert.equal(await box.inputValue(), "unc-2");
  });
});

// The list for "unc" is open, and the question for "unc-2" is on its way while the visitor presses a key.
async function pressWhileAsking(tab, key) {
  await tab.goto(host + "/");
  const late = (url) => url.searchParams.get("q") === "unc-2";
  let release;
  const released = new Promise((resolve) => { release = resolve; });
  await tab.route(late, async (route) => {
    await released;
    await route.continue();
  });
  await searchBox(tab).focus();
  await tab.keyboard.type("unc");
  await tab.getByRole("option").filter({ visible: true, hasText: "unc-26" }).first().waitFor();
  const asked = tab.waitForRequest((request) => late(new URL(request.url())));
  await tab.keyboard.type("-2");
  const request = await asked;
  await tab.keyboard.press(key);
  release();
  await (await request.response()).finished();
  // The page reads the later answer after the one that came late.
  await tab.evaluate((url) => fetch(url).then((answer) => answer.json()), request.url() + "6");
}

check("A suggestion that arrives after Escape does not open the list again", async (sites) => {
  await sites.sample.visit({}, async (tab) => {
    await pressWhileAsking(tab, "Escape");
    assert.equal(await searchBox(tab).getAttribute("aria-expanded"), "false");
  });
});

check("Suggestions that arrive after one was selected do not replace it", async (sites) => {
  await sites.sample.visit({}, async (tab) => {
    await pressWhileAsking(tab, "ArrowDown");
    assert.ok(await searchBox(tab).getAttribute("aria-activedescendant"));
  });
});

check("A visitor who comes by another name of the host stays there, and forms, styles and script work", async (sites) => {
  await sites.tunnel.visit({}, async (tab) => {
    await tab.goto(hosts.tunnel + "/");
    assert.notEqual(await tab.evaluate(() => getComputedStyle(document.body).maxWidth), "none");
    await searchBox(tab).focus();
    await tab.keyboard.type("unc-26");
    await tab.getByRole("option").filter({ visible: true, hasText: "WBGene00006763" }).first().click();
    await tab.waitForURL(`${hosts.tunnel}${of("history").path}`);
    assert.ok((await tab.locator("#address").getAttribute("value")).startsWith(`${host}/rss?`), "the address to copy is the public one");
    await tab.getByRole("link", { name: /watch list/i }).last().click();
    await tab.waitForURL(/\/watch\?object=/);
    await tab.getByRole("button", { name: "Short address" }).click();
    await tab.waitForURL(/\/watch\/[a-z2-7]{16}$/);
    await tab.goto(`${hosts.tunnel}/history?class=gene&name=wbgene00006763`);
    assert.equal(tab.url(), hosts.tunnel + of("history").path);
  });
});

check("The link of a change in a feed leads to that change on the history page", async (sites) => {
  await sites.sample.visit({}, async (tab) => {
    await tab.goto(gene);
    const places = await tab.evaluate(async () => {
      const feed = await (await fetch(document.querySelector("link[type='application/feed+json']").href)).json();
      return feed.items.flatMap((item) => [`${item.url}#${item._varve.release}`, ...item.content_html.matchAll(/href="([^"]*#[^"]*)"/g)]
        .map((each) => (typeof each === "string" ? each : each[1].replaceAll("&amp;", "&"))));
    });
    assert.ok(places.length > 8, String(places.length));
    for (const place of places) {
      await tab.goto(place);
      const target = tab.locator(`[id="${decodeURIComponent(new URL(place).hash.slice(1))}"]`);
      assert.equal(await target.count(), 1, place);
      await target.scrollIntoViewIfNeeded();
      assert.ok(await tab.evaluate(() => document.querySelector(":target")?.checkVisibility()), `${place} is shown`);
    }
  });
});

check("The link of a folded change opens what is folded around it", async (sites) => {
  await sites.sample.visit({}, async (tab) => {
    await tab.goto(host + of("history-vanished").path);
    const folded = tab.locator("details.held [id*='-c']").first();
    assert.equal(await folded.isVisible(), false);
    const place = await folded.getAttribute("id");
    await tab.goto(`${host}${of("history-vanished").path}#${place}`);
    await tab.locator(`[id="${place}"]`).waitFor({ state: "visible" });
  });
});

check("The link in a change leads to the object that it names", async (sites) => {
  await sites.sample.visit({}, async (tab) => {
    await tab.goto(host + of("history-release").path);
    const link = tab.locator("article a[href*='/history?class=Gene_name&name=synj-1']").first();
    const wanted = await link.getAttribute("href");
    await link.click();
    await tab.waitForURL(/class=Gene_name/);
    assert.equal(tab.url(), new URL(wanted, host).href);
    assert.match(await tab.locator("h1").innerText(), /synj-1/);
  });
});

check("A release links its objects and their histories, which link back", async (sites) => {
  await sites.sample.visit({}, async (tab) => {
    await tab.goto(host + "/");
    await tab.getByRole("main").getByRole("link", { name: "WS187" }).first().click();
    await tab.getByRole("heading", { level: 1, name: /WS187/ }).waitFor();
    await tab.locator("main a[href*='history?class=']").first().click();
    await tab.waitForURL(/\/history\?class=/);
    await tab.locator("header a").first().click();
    await tab.waitForURL(host + "/");
  });
});

check("A visitor compares two releases from the history page", async (sites) => {
  await sites.sample.visit({}, async (tab) => {
    await tab.goto(gene);
    await tab.getByRole("button", { name: "Compare" }).click();
    await tab.waitForURL(/\/diff\?class=Gene&name=WBGene00006763&from=WS\d+&to=WS\d+$/);
    await tab.getByRole("heading", { name: /Changes from/ }).waitFor();
  });
});

check("The first link lets the keyboard skip the header", async (sites) => {
  await sites.sample.visit({}, async (tab) => {
    await tab.goto(gene);
    await tab.keyboard.press("Tab");
    assert.equal(await tab.evaluate(() => document.activeElement.getAttribute("href")), "#main");
    assert.ok(await tab.evaluate(() => document.activeElement.getBoundingClientRect().left >= 0), "it is seen while focused");
    await tab.keyboard.press("Enter");
    await tab.keyboard.press("Tab");
    assert.ok(await tab.evaluate(() => document.activeElement.closest("main") !== null), "the next stop is in the content");
  });
});

check("Each stop of the keyboard is visible", async (sites) => {
  await sites.sample.visit({}, async (tab) => {
    await tab.goto(gene);
    for (let stop = 0; stop < 25; ++stop) {
      await tab.keyboard.press("Tab");
      const plain = await tab.evaluate(() => {
        const style = getComputedStyle(document.activeElement);
        const outlined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
        return outlined || style.boxShadow !== "none" ? "" : document.activeElement.outerHTML.slice(0, 200);
      });
      assert.equal(plain, "");
    }
  });
});

// The driver's own screenshots wait for a body, which XML lacks.
async function shootXml(tab, name) {
  if (!screenshots) return;
  const session = await tab.context().newCDPSession(tab);
  const { data } = await session.send("Page.captureScreenshot", { captureBeyondViewport: true });
  writeFileSync(`${screenshots}/${name}.png`, Buffer.from(data, "base64"));
}

for (const [format, path] of [["RSS", "/rss?class=Gene&name=WBGene00006763"],
  ["Atom", "/rss?class=Gene&name=WBGene00006763&format=atom"], ["markup as RSS", `/rss?${of("markup-history").path.split("?")[1]}`]]) {
  for (const colorScheme of ["light", "dark"]) {
    check(`A browser shows a feed readably: ${format}, ${colorScheme}`, async (sites) => {
      const site = format.startsWith("markup") ? sites.hostile : sites.sample;
      await site.visit({ colorScheme }, async (tab) => {
        const reply = await tab.goto(site.host + path);
        assert.equal(reply.status(), 200);
        assert.match(reply.headers()["content-type"], /^(application|text)\/(rss\+|atom\+)?xml/);
        const name = `feed-${format.replaceAll(" ", "-")}-${colorScheme}`;
        await shootXml(tab, name);
        const seen = await tab.evaluate(() => ({
          sheets: document.styleSheets.length,
          viewer: document.getElementById("webkit-xml-viewer-source-xml") !== null,
          width: document.documentElement.scrollWidth <= innerWidth,
        }));
        assert.deepEqual(seen, { sheets: 1, viewer: false, width: true });
        for (const title of ["h1 a", "h2 a"]) assert.ok(await tab.locator(title).first().isVisible(), title);
      });
    });
  }
  check(`In a feed that a phone's browser shows, titles and links lead to the pages: ${format}`, async (sites) => {
    const site = format.startsWith("markup") ? sites.hostile : sites.sample;
    await site.visit({ viewport: { width: 390, height: 800 }, isMobile: true, hasTouch: true }, async (tab) => {
      await tab.goto(site.host + path);
      await shootXml(tab, `feed-${format.replaceAll(" ", "-")}-phone`);
      // Without a viewport of its own, a document is 980 pixels wide there.
      assert.deepEqual(await tab.evaluate(() => [innerWidth, document.documentElement.scrollWidth]), [390, 390]);
      const links = await tab.evaluate(() => [...document.querySelectorAll("a")].map((link) => link.href));
      assert.ok(links.length > 5 && links.every((link) => /^https?:/.test(link)), links.join(" "));
      const item = tab.locator("h2 a").first();
      const wanted = await item.getAttribute("href");
      await item.tap();
      await tab.waitForURL(wanted);
      assert.match(await tab.title(), / in (WS|HR)/);
      await tab.goBack();
      await tab.locator("h1 a").tap();
      await tab.waitForURL(/\/history\?/);
    });
  });
}
