"""Attacks that do their work over and over: hostile texts, and kills at random moments. `make test`
does a round of each; `make attack` does ATTACK_ROUNDS of them.

SPDX-License-Identifier: MIT
"""
import html.parser
import json
import os
import random
import re
import sqlite3
import urllib.parse
import xml.etree.ElementTree as ElementTree

import job
from checks import check, check_served
from faults import some_proteins, store_of
from job import FIRST, NEXT, Job, MariaDbStore, SqliteStore
from load import Load
from nginx import behind_nginx
from site_of_varve import COMMAND_SECONDS, eventually, rss_path

ROUNDS = int(os.environ.get("ATTACK_ROUNDS", "1"))

# Each would leave a word with "hurt" in a tag, an attribute or a header field if it got through.
HOSTILE = (
    "<hurt onload=hurt>", "<script>hurt()</script>", "\"><hurt onerror=hurt>", "' onmouseover='hurt' a='",
    "javascript:hurt()", "]]><hurt/>", "--><hurt>", "</title><hurt>", "{{{hurt}}}{{#hurt}}", "&lt;hurt&gt;",
    "x\r\nHurt: 1\r\n\r\n<hurt>", "x%0d%0aHurt:%201", "' OR 1=1 --", "%' ; DROP TABLE history --", "\u202e<hurt>",
    "\x1b[31mhurt", "../../../../etc/passwd", "\\\"<hurt>", "${hurt}", "`hurt`",
)


class Judge(html.parser.HTMLParser):
    """Raises AssertionError for markup that no page of Varve has."""

    def handle_starttag(self, tag, attrs):
        assert "hurt" not in tag, tag
        names = dict(attrs)
        assert tag != "script" or "src" in names or names.get("type") == "application/ld+json", self.rawdata
        for name, value in attrs:
            assert not name.startswith("on") and "hurt" not in name, (tag, name, value)
            unsafe = re.match(r"\s*(javascript|data|vbscript):", value or "", re.IGNORECASE)
            assert not unsafe or name not in ("href", "src", "action") or names.get("rel") == "icon", (tag, name, value)


def judge_html(text):
    judge = Judge()
    judge.feed(text)
    judge.close()


def judge_reply(reply, asked):
    """Checks that hostile text is only ever text, whatever the format."""
    assert not [name for name in reply.fields if "hurt" in name], (asked, reply.fields)
    kind = reply.fields.get("content-type", "")
    try:
        if "json" in kind:
            document = json.loads(reply.text)
            for item in document.get("items", []) if isinstance(document, dict) else []:
                judge_html(item.get("content_html", ""))
        elif "xml" in kind or "opml" in kind:
            document = ElementTree.fromstring(reply.body)
            for element in document.iter():
                assert "hurt" not in element.tag and not [name for name in element.attrib if "hurt" in name]
            for content in document.findall(".//item/description") + document.findall(".//*[@type='html']"):
                judge_html(content.text or "")
        elif "html" in kind:
            judge_html(reply.text)
    except AssertionError as failure:
        raise AssertionError(asked, reply.body[:2000], *failure.args) from failure


# ---- texts ----

PARAMETERS = {
    "/rss": ("class", "name", "object", "n", "since", "tag", "change", "format", "token"),
    "/rss/archive": ("class", "name", "object", "before", "tag"),
    "/history": ("class", "name", "at", "part"), "/diff": ("class", "name", "from", "to", "format", "part"),
    "/release/WS187": ("class", "q", "from", "tag", "n", "format"), "/": ("class", "q", "object"),
    "/suggest": ("class", "q"), "/opml": ("object",), "/db/rss": ("class", "name"),
}
RIGHT = {"class": "Gene", "name": "WBGene00006763", "object": "Gene:WBGene00006763", "from": "WS186", "to": "WS188",
         "before": "50"}


def ask_with(site, texts, accepted):
    for path, names in PARAMETERS.items():
        for name, value in ((name, value) for name in names for value in texts):
            others = {each: RIGHT[each] for each in names if each in RIGHT and each != "object"}
            query = urllib.parse.urlencode({**others, name: value})
            for accept in accepted:
                reply = site.get(f"{path}?{query}", Accept=accept)
                assert reply.status in (200, 301, 302, 400, 401, 404, 429), (path, query, reply)
                judge_reply(reply, (path, query))


@check_served("Under attack: hostile parameters are refused or escaped, and never an error of the server")
def _(site):
    ask_with(site, HOSTILE, ("text/html", "application/rss+xml"))


@check("Under attack: behind nginx, hostile parameters are refused or escaped too")
def _(site):
    with behind_nginx(site):
        ask_with(site, random.Random(ROUNDS).sample(HOSTILE, min(3 * ROUNDS, len(HOSTILE))), ("text/html",))


def hostile_build(folder, version, date, note):
    """Makes a build whose classes, names, tags, texts and stamps are hostile; `note` is in each."""
    folder.mkdir()
    (folder / "release.ini").write_text(f"version = {version}\ndate = {date}\n")
    with open(folder / "objects.jsonl", "w", encoding="utf-8") as lines:
        for number, text in enumerate(HOSTILE):
            text = re.sub(r"[\x00-\x1f]", " ", text)
            tree = [{"tag": text, "children": [{"text": f"{text} {note}", "at": "2008-02-01T09:15:20", "by": text}]},
                    {"tag": "Refers", "children": [{"class": text, "name": f"{text} {note}"}, {"comment": text}]},
                    {"tag": "Long", "stamp": text, "children": [{"text": f"{text}\n{note}\n{text}"}]}]
            json.dump({"class": text[:40].replace(":", ".") if number % 2 else "Gene", "name": f"{text} {number}", "tree": tree}, lines)
            lines.write("\n")


def with_addresses(objects):
    """Yields every address at which an object, its class, or all of them are shown."""
    for class_name, name in objects:
        one = urllib.parse.urlencode({"class": class_name, "name": name})
        of_class = urllib.parse.urlencode({"class": class_name})
        for form in ("rss", "atom", "json"):
            yield f"/rss?{one}&format={form}"
            yield f"/rss?{of_class}&format={form}"
        yield from (f"/history?{one}", f"/diff?{one}&from=WS1&to=WS2", f"/diff?{one}&from=WS1&to=WS2&format=json",
                    f"/?{of_class}&q=", f"/release/WS2?{of_class}", f"/suggest?{of_class}&q=" + urllib.parse.quote(name[:3]),
                    "/opml?object=" + urllib.parse.quote(f"{class_name}:{name}"))
    yield from ("/", "/release/WS2", "/release/WS2?format=rss", "/release/WS1?format=atom")


@check("Under attack: hostile classes, names, tags, texts and stamps of a build stay text everywhere")
def _(site):
    site.expect(0, "init")
    for version, date, note in (("WS1", "2009-01-01", "old"), ("WS2", "2009-02-01", "new")):
        hostile_build(site.builds / version, version, date, note)
        site.switch_to(version)
        site.expect(0, "prewarm", "--all")
    site.start()
    with sqlite3.connect(store_of(site)) as store:
        objects = store.execute("SELECT class, name FROM objects").fetchall()
    assert len(objects) == len(HOSTILE), objects
    shown = 0
    for path in with_addresses(objects):
        reply = site.get(path, Accept="text/html" if path.startswith(("/?", "/h", "/d")) else "*/*")
        assert reply.status in (200, 301), (path, reply)
        shown += "hurt" in reply.text
        judge_reply(reply, path)
    assert shown > len(objects), "hostile texts are shown"


# ---- kills ----

def tell(what):
    """Prints what an attack has done, above its verdict."""
    print(f"    {what}", flush=True)


def expect_whole(site):
    with sqlite3.connect(store_of(site)) as store:
        assert store.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        twice = "SELECT oid, version FROM history GROUP BY oid, version HAVING count(*) > 1"
        assert store.execute(twice).fetchall() == []


def kill_servers(site, kills):
    names = some_proteins(site, 200)
    random.Random(ROUNDS).shuffle(names)
    promised = {}
    for turn in range(kills):
        names = names[25:] + names[:25]
        with Load(site, [rss_path("Protein", name) for name in names[:25]], clients=4) as load:
            eventually(lambda wanted=turn % 40: load.count() > wanted or load.broken, "answers")
            site.varve.kill()
            site.varve.wait(COMMAND_SECONDS)
            site.start_varve()
            eventually(site.answers, "the next server answers")
        assert not load.broken, load.broken
        for name in names[:25]:
            reply = site.feed("Protein", name)
            assert promised.setdefault(name, reply.body) == reply.body, name
    expect_whole(site)
    tell(f"{kills} servers killed, {len(promised)} feeds the same after each")


@check("Under attack: varve serve, killed again and again while it records, loses and doubles nothing")
def _(site):
    site.start()
    kill_servers(site, 3 * ROUNDS)


@check("Under attack: behind nginx, varve serve is killed again and again, and no connection breaks")
def _(site):
    with behind_nginx(site):
        kill_servers(site, ROUNDS)


def kill_at_random(site, store, chance, *words):
    """Runs a job that is killed at some moment. Returns whether it was done before."""
    killed = Job(site, *words, config=store.config)
    try:
        eventually(lambda: not killed.runs() or chance.random() < 0.03, "the moment to kill", every=0.005)
        if killed.runs():
            killed.kill()
            return False
        assert killed.wait() == 0, killed.told()
        return True
    finally:
        killed.end()


def prewarmed_under_kills(site, store):
    chance, kills = random.Random(ROUNDS), 0
    for release in (FIRST, NEXT):
        site.switch_to(release)
        for _ in range(2 * ROUNDS):
            if kill_at_random(site, store, chance):
                break
            kills += 1
        Job(site, config=store.config).expect_done()
    job.expect_same(store, NEXT)
    tell(f"{kills} jobs killed")


@check("Under attack: the release job, killed at random moments, gives the same store as one run")
def _(site):
    job.put_builds(site)
    prewarmed_under_kills(site, SqliteStore(site))


@check("Under attack: the release job on MariaDB, killed at random moments, gives the same store as one run")
def _(site):
    job.put_builds(site)
    prewarmed_under_kills(site, MariaDbStore(site, job.mariadb()))


@check("Under attack: mariadbd, killed again and again under a release job, loses and doubles nothing")
def _(site):
    job.put_builds(site)
    server = job.mariadb()
    store = MariaDbStore(site, server)
    chance = random.Random(ROUNDS)
    running = Job(site, config=store.config)
    try:
        for _ in range(ROUNDS):
            eventually(lambda: not running.runs() or chance.random() < 0.02, "the moment to kill", every=0.01)
            server.kill()
            server.start()
            if not running.runs():
                running = Job(site, config=store.config)
    finally:
        running.end()
    Job(site, config=store.config).expect_done()
    job.expect_same(store, FIRST)
    tell(f"{ROUNDS} times mariadbd killed")
