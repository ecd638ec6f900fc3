// Each kind of page once, from the site that shows it best.
// SPDX-License-Identifier: MIT
const gene = "class=Gene&name=WBGene00006763";
const paper = "class=Paper&name=WBPaper00031000";
const markup = `class=Gene&name=${encodeURIComponent("<script>alert('name')</script>")}`;

// feeds: the page has feeds of its own; status: other than 200; axe: axe judges it, the richest page of a
// template, as it judges every page of the hostile site
export const pages = [
  { name: "home", site: "sample", path: "/", feeds: true, axe: true },
  { name: "home-many", site: "many", path: "/changes/", feeds: true },
  { name: "search", site: "sample", path: "/?q=unc-2", axe: true },
  { name: "search-nothing", site: "sample", path: "/?q=nobody-at-all" },
  { name: "watch-list", site: "sample", path: "/watch?object=Gene:WBGene00006763&object=Paper:WBPaper00031000", feeds: true },
  { name: "watch-list-empty", site: "sample", path: "/watch" },
  { name: "watch-list-questions", site: "sample", path: `/watch?q=unc&object=Phenotype:WBPhenotype:0001213&object=Gene:unc-26&pasted=nobody&pasted=${encodeURIComponent("Jonathan Hodgkin")}&left_out=2`, feeds: true, axe: true },
  { name: "history", site: "sample", path: `/history?${gene}`, feeds: true, axe: true },
  { name: "history-release", site: "sample", path: `/history?${gene}&at=WS187`, feeds: true },
  { name: "history-paper", site: "sample", path: `/history?${paper}`, feeds: true },
  { name: "history-long-text", site: "sample", path: "/history?class=LongText&name=WBPaper00004489", feeds: true },
  { name: "history-vanished", site: "sample", path: "/history?class=Phenotype&name=WBPhenotype:0001213", feeds: true },
  { name: "history-many", site: "many", path: "/changes/history?class=Gene&name=long", feeds: true, axe: true },
  { name: "diff", site: "sample", path: `/diff?${gene}&from=WS186&to=WS188`, feeds: true, axe: true },
  { name: "object", site: "sample", path: `/object?${gene}&release=WS187`, feeds: true, axe: true },
  { name: "object-vanished", site: "sample", path: "/object?class=Phenotype&name=WBPhenotype:0001213", feeds: true },
  { name: "object-many", site: "many", path: "/changes/object?class=Gene&name=long", feeds: true },
  { name: "release", site: "sample", path: "/release/WS187", feeds: true, axe: true },
  { name: "release-class", site: "sample", path: "/release/WS188?class=Gene", feeds: true },
  { name: "release-many", site: "many", path: "/changes/release/R62", feeds: true },
  { name: "releases", site: "sample", path: "/releases", feeds: true, axe: true },
  { name: "releases-many", site: "many", path: "/changes/releases", feeds: true },
  { name: "feeds", site: "feeds", path: "/feeds", axe: true },
  { name: "feeds-search", site: "feeds", path: "/feeds?q=journal" },
  { name: "feed", site: "feeds", path: "/feeds?feed=1", feeds: true, axe: true },
  { name: "feed-new", site: "feeds", path: "/feeds?feed=4", feeds: true },
  { name: "home-feeds", site: "feeds", path: "/", feeds: true },
  { name: "markup-releases", site: "hostile", path: "/releases", feeds: true },
  { name: "not-found", site: "sample", path: "/history?class=Gene&name=nobody", status: 404, axe: true },
  { name: "refused", site: "sample", path: `/rss?${gene}&n=0`, status: 400 },
  { name: "markup-home", site: "hostile", path: `/?q=${encodeURIComponent("<img src=x")}` },
  { name: "markup-history", site: "hostile", path: `/history?${markup}`, feeds: true },
  { name: "markup-diff", site: "hostile", path: `/diff?${markup}&from=HR1&to=HR2`, feeds: true },
  { name: "markup-object", site: "hostile", path: `/object?${markup}`, feeds: true },
  { name: "markup-release", site: "hostile", path: "/release/HR2", feeds: true },
  { name: "markup-long-text", site: "hostile", path: `/history?class=LongText&name=${encodeURIComponent("<h1>long</h1>")}`, feeds: true },
  { name: "markup-renamed", site: "hostile", path: `/history?class=Gene&name=${encodeURIComponent('old"><i>')}`, feeds: true },
  { name: "markup-script-address", site: "hostile", path: `/history?class=Gene&name=${encodeURIComponent("javascript:alert(6)")}`, feeds: true },
];
export const of = (name) => pages.find((page) => page.name === name);
