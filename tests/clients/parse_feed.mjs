// parse_feed.mjs -- what npm's feed readers find in feeds: each line of input is a feed, as a string of JSON; each
// line of output is what they find in it, as JSON. feedsmith reads any format and OPML: { format, title, self, hub,
// home, items: [{ title, id, date, link, authors, content }] }; rss-parser and feedparser read RSS and Atom:
// { others: { "rss-parser": [{ title, id, date, link, text }], "feedparser": [{ title, id, date, link, content }] } }.
// { error } when a reader refuses it. feedparser takes what looks like a tag out of titles.
// SPDX-License-Identifier: MIT
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import FeedParser from "feedparser";
import { parseFeed, parseOpml } from "feedsmith";
import RssParser from "rss-parser";

const link = (links, rel) => links?.find((each) => (each.rel ?? "alternate") === rel)?.href;

const read = {
  rss: (feed) => ({
    self: link(feed.atom?.links, "self"),
    hub: link(feed.atom?.links, "hub"),
    home: feed.link,
    items: feed.items.map((item) => ({
      title: item.title, id: item.guid?.value, date: item.pubDate, link: item.link,
      authors: item.dc?.creators ?? [], content: item.content?.encoded ?? item.description,
    })),
  }),
  atom: (feed) => ({
    self: link(feed.links, "self"),
    hub: link(feed.links, "hub"),
    home: link(feed.links, "alternate"),
    items: (feed.entries ?? []).map((entry) => ({
      title: entry.title?.value ?? entry.title, id: entry.id, date: entry.published ?? entry.updated,
      link: link(entry.links, "alternate"), authors: (entry.authors ?? []).map((each) => each.name),
      content: entry.content?.value ?? entry.content,
    })),
  }),
  json: (feed) => ({
    self: feed.feed_url,
    hub: feed.hubs?.find((each) => each.type === "WebSub")?.url,
    home: feed.home_page_url,
    items: feed.items.map((item) => ({
      title: item.title, id: item.id, date: item.date_published, link: item.url,
      authors: (item.authors ?? []).map((each) => each.name), content: item.content_html,
    })),
  }),
};

function outlineOf(text) {
  const { head, body } = parseOpml(text);
  return { format: "opml", title: head?.title, items: body.outlines };
}

async function byRssParser(text) {
  const { items } = await new RssParser().parseString(text);
  return items.map((item) => ({
    title: item.title, id: item.guid ?? item.id, date: item.isoDate, link: item.link,
    text: item["content:encodedSnippet"] ?? item.contentSnippet,
  }));
}

async function byFeedParser(text) {
  const items = [];
  for await (const item of Readable.from([text]).pipe(new FeedParser({ addmeta: false })))
    items.push({ title: item.title, id: item.guid, date: item.pubdate.toISOString(), link: item.link,
                 content: item.description });
  return items;
}

async function feedOf(text) {
  const { format, feed } = parseFeed(text);
  const others = format === "json" ? {}
    : { "rss-parser": await byRssParser(text), feedparser: await byFeedParser(text) };
  return { format, title: feed.title?.value ?? feed.title, ...read[format](feed), others };
}

const readAny = async (text) => (text.includes("<opml") ? outlineOf(text) : feedOf(text));
for await (const line of createInterface({ input: process.stdin }))
  console.log(JSON.stringify(await readAny(JSON.parse(line)).catch((error) => ({ error: error.stack }))));
