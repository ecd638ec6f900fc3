"""Attacks that do their work over and over: hostile texts, and kills at random moments. `make test` does a
round of most of them; `make attack` does ATTACK_ROUNDS of each.

SPDX-License-Identifier: MIT
"""
import os
import random
import sqlite3
import urllib.parse

from checks import check
from sites import check_served
from faults import some_proteins, store_of
from hostile import HOSTILE, ask_with, hostile_build, judge_reply
from load import Load
from nginx import behind_nginx
from site_of_varve import COMMAND_SECONDS, eventually, rss_path

ROUNDS = int(os.environ.get("ATTACK_ROUNDS", "1"))

# ---- texts ----

@check_served("Under attack: hostile parameters are refused or escaped, and never an error of the server")
def _(site):
    ask_with(site, HOSTILE, ("text/html", "application/rss+xml"))


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
        made = hostile_build(site.builds / version, version, date, note)
        site.switch_to(version)
        site.expect(0, "prewarm", "--all")
    site.start()
    with sqlite3.connect(store_of(site)) as store:
        objects = store.execute("SELECT class, name FROM objects").fetchall()
    assert sorted(objects) == sorted(made), objects
    shown = 0
    for path in with_addresses(objects):
        reply = site.get(path, Accept="text/html" if path.startswith(("/?", "/h", "/d")) else "*/*")
        assert reply.status in (200, 301), (path, reply)
        shown += "hurt" in reply.text
        judge_reply(reply, path)
    assert shown > len(objects), "hostile texts are shown"


# ---- kills ----

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
        if site.behind:
            assert not load.broken, load.broken
        for name in names[:25]:
            reply = site.feed("Protein", name)
            assert promised.setdefault(name, reply.body) == reply.body, name
    expect_whole(site)
    print(f"    {kills} servers killed, {len(promised)} feeds the same after each", flush=True)


@check("Under attack: varve serve, killed again and again while it records, loses and doubles nothing")
def _(site):
    site.start()
    kill_servers(site, 3 * ROUNDS)


@check("Under attack: behind nginx, varve serve is killed again and again, and no connection breaks")
def _(site):
    with behind_nginx(site):
        kill_servers(site, ROUNDS)
