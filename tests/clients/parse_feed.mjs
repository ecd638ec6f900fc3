// parse_feed.mjs FILE... -- what an npm feed reader (feedsmith) finds in feeds of any format: a
// JSON document a line, { format, title, self, home, items: [{ title, id, date, link }] }.
// SPDX-License-Identifier: MIT
import { readFileSync } from "node:fs";
import { parseFeed, parseOpml } from "feedsmith";

const link = (links, rel) => links?.find((each) => (each.rel ?? "alternate") === rel)?.href;

const read = {
  rss: (feed) => ({
    self: link(feed.atom?.links, "self"),
    home: feed.link,
    items: feed.items.map((item) => ({
      title: item.title, id: item.guid?.value, date: item.pubDate, link: item.link,
      authors: item.dc?.creators ?? [], content: item.content?.encoded ?? item.description,
    })),
  }),
  atom: (feed) => ({
    self: link(feed.links, "self"),
    home: link(feed.links, "alternate"),
    items: (feed.entries ?? []).map((entry) => ({
      title: entry.title?.value ?? entry.title, id: entry.id, date: entry.published ?? entry.updated,
      link: link(entry.links, "alternate"), authors: (entry.authors ?? []).map((each) => each.name),
      content: entry.content?.value ?? entry.content,
    })),
  }),
  json: (feed) => ({
    self: feed.feed_url,
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

function feedOf(text) {
  const { format, feed } = parseFeed(text);
  return { format, title: feed.title?.value ?? feed.title, ...read[format](feed) };
}

for (const file of process.argv.slice(2)) {
  const text = readFileSync(file, "utf8");
  console.log(JSON.stringify(text.includes("<opml") ? outlineOf(text) : feedOf(text)));
}
