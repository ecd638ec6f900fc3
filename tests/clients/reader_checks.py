"""Every format of every kind of feed, read by five readers that must agree.

SPDX-License-Identifier: MIT
"""
import functools
import json
import xml.etree.ElementTree as ElementTree

import golden
import readers
from checks import check, same

GENE = "/rss?class=Gene&name=WBGene00006763"
HOSTILE = "class=Gene&name=%3Cscript%3Ealert%28%27name%27%29%3C%2Fscript%3E"
# description: (world, path, the least number of items)
FEEDS = {
    "an object": ("sample", GENE, 3),
    "an object, narrowed": ("sample", GENE + "&tag=Gene_info&change=added", 2),
    "an object that vanished": ("sample", "/rss?class=Phenotype&name=WBPhenotype%3A0001213", 1),
    "a watch list": ("sample", "/rss?object=Gene:WBGene00006763&object=Paper:WBPaper00031000", 4),
    "a class": ("sample", "/rss?class=Gene", 5),
    "a release": ("sample", "/release/WS187?n=40", 10),
    "an object with an archive": ("many", "/rss?class=Gene&name=long", 50),
    "a page of the archive of an object": ("many", "/rss/archive?class=Gene&name=long&before=50", 50),
    "a page of the archive of a class": ("many", "/rss/archive?class=Gene&before=100", 50),
    "an object with markup everywhere": ("hostile", "/rss?" + HOSTILE, 2),
    "a class with markup everywhere": ("hostile", "/rss?class=Gene", 4),
    "a copy of a source feed": ("feeds", "/rss?feed=1", 3),
}
FORMATS = ("rss", "atom", "json")


def _path(path, form):
    return path + ("&" if "?" in path else "?") + "format=" + form


def _address(world, path, form):
    there = golden.asked(world).world
    return f"http://127.0.0.1:{there.port}{there.base_path}{_path(path, form)}"


@functools.lru_cache(maxsize=None)
def _reply(world, path, form):
    there = golden.asked(world)
    reply = there.http.ask("GET", _path(path, form), [])
    assert reply.status == 200, (path, form, reply)
    return reply


@functools.lru_cache(maxsize=None)
def _read(world, path):
    """Returns what npm's readers find in each of the formats."""
    return readers.by_npm([_reply(world, path, form).body for form in FORMATS])


def _as_read_by(reader, item):
    """npm's feedparser takes some plain titles for HTML."""
    return item._replace(title=readers.without_tags(item.title)) if reader == "feedparser" else item


def _agree(world, path, least):
    reads = _read(world, path)
    assert [read["format"] for read in reads] == list(FORMATS), reads
    wanted = readers.items_of(reads[0]["items"])
    assert len(wanted) >= least and len({item.id for item in wanted}) == len(wanted), wanted
    assert len({read["title"] for read in reads}) == 1, [read["title"] for read in reads]
    assert len({read["home"] for read in reads}) == 1, [read["home"] for read in reads]
    for form, read in zip(FORMATS, reads):
        same(readers.items_of(read["items"]), wanted, f"feedsmith, {form}, against rss")
        for reader, items in read["others"].items():
            same([_as_read_by(reader, item) for item in readers.items_of(items)],
                 [_as_read_by(reader, item) for item in wanted], f"{reader} of npm, {form}")
        address, _, query = read["self"].partition("?")
        assert address == golden.asked(world).world.base_url + path.partition("?")[0], address
        same(sorted(query.split("&")), sorted(_path(path, form).partition("?")[2].split("&")), "self")
    for form in ("rss", "atom"):
        same(readers.by_feedparser(_address(world, path, form)), wanted, f"feedparser, {form}")
        same(sorted(readers.by_newsboat(_address(world, path, form))), sorted(wanted), f"newsboat, {form}")


def _authors_and_content(world, path):
    """Returns what else of an item is the same in all formats."""
    reads = _read(world, path)
    for of_rss, *others in zip(*(read["items"] for read in reads)):
        for other in others:
            same([other["content"]], [of_rss["content"]], f"content of {of_rss['id']}")
            # One dc:creator names all of them, because the rules of RSS allow only one.
            same([", ".join(other["authors"])], [", ".join(of_rss["authors"])], f"authors of {of_rss['id']}")


for _what, (_world, _where, _least) in FEEDS.items():
    check(f"five readers agree on titles, ids, dates and links of every format: {_what}")(
        functools.partial(_agree, _world, _where, _least))
    check(f"content and authors are the same in every format: {_what}")(
        functools.partial(_authors_and_content, _world, _where))


@check("An OPML reader finds each object of a watch list, with its feed and its page")
def _():
    there = golden.asked("sample")
    reply = there.http.ask("GET", "/opml?object=Gene%3AWBGene00006763&object=Paper%3AWBPaper00031000", [])
    (read,) = readers.by_npm([reply.body])
    found = [(line.get("type"), line.get("xmlUrl"), line.get("htmlUrl")) for line in read["items"]]
    base = there.world.base_url
    same(found, [("rss", f"{base}/rss?class={c}&name={n}", f"{base}/history?class={c}&name={n}")
                 for c, n in (("Gene", "WBGene00006763"), ("Paper", "WBPaper00031000"))])
    assert all(line["text"] for line in read["items"]), read


def _prev_archive(reply):
    root = ElementTree.fromstring(reply.body)
    return next((link.get("href") for link in root.iter("{http://www.w3.org/2005/Atom}link")
                 if link.get("rel") == "prev-archive"), None)


def _next_url(reply):
    return json.loads(reply.body).get("next_url")


def _walk(there, path, form):
    """Returns the ids of a feed and its archive for a reader that follows the links."""
    bodies, seen, path = [], set(), _path(path, form)
    while path:
        assert path not in seen, f"a circle at {path}"
        seen.add(path)
        reply = there.http.ask("GET", path, [])
        assert reply.status == 200, (path, reply)
        bodies.append(reply.body)
        following = (_next_url if form == "json" else _prev_archive)(reply)
        path = following and following.removeprefix(there.world.base_url)
    ids = []
    for read in readers.by_npm(bodies):
        ids += [item["id"] for item in read["items"] if item["id"] not in ids]
    return ids


@check("A reader that follows the archive finds every item, the same in every format")
def _():
    there = golden.asked("many")
    for path, count in (("/rss?class=Gene&name=long", 60), ("/rss?class=Gene", 120), ("/release/R62", 120)):
        walks = [_walk(there, path, form) for form in FORMATS]
        assert len(walks[0]) == count, (path, len(walks[0]))
        for walk in walks:
            same(sorted(walk), sorted(walks[0]), path)
