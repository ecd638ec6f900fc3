"""The harvester: its commands, and the example of two source feeds.

SPDX-License-Identifier: MIT
"""
import contextlib
import json
import shutil
import sqlite3
import subprocess

from checks import check
from site_of_varve import EXAMPLES, PROGRAM, eventually
from source_feeds import FileServers

LONG_AGO = "2000-01-01T00:00:00Z"


def opml_of(urls):
    outlines = "".join(f'<outline type="rss" text="feed" xmlUrl="{url}"/>' for url in urls)
    return f'<opml version="2.0"><head><title>feeds</title></head><body>{outlines}</body></opml>'


def status_of(site):
    return json.loads(site.expect(0, "harvest", "status", "--json").stdout)


def only_feed(site):
    (feed,) = status_of(site)["feeds"]
    return feed


def harvest_until(site, *is_done):
    """Lets a harvester run, as a service does, until eventually(*is_done)."""
    with subprocess.Popen([str(PROGRAM), "harvest", "--config", str(site.folder / "varve.conf")],
                          stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as harvester:
        try:
            eventually(*is_done)
        finally:
            harvester.terminate()
        assert harvester.wait(60) == 0


@check("Source feeds are added, found, disabled, kicked, exported and removed")
def _(site):
    site.expect(0, "init")
    url = "http://lab.example.org/news.rss"
    assert b"feed 1 added" in site.expect(0, "harvest", "add", url, "--name", "The lab").stdout
    assert b"feed 1 already" in site.expect(1, "harvest", "add", "HTTP://LAB.example.org:80/news.rss").stderr
    assert b"the URL" in site.expect(1, "harvest", "add", "ftp://lab.example.org/").stderr
    site.expect(2, "harvest", "add", url, "--max-kb", "0")
    for option, is_public in (("--public", True), ("--no-public", False)):
        done = site.expect(0, "harvest", "add", option, url, "--name", "Not this")
        assert b"feed 1 already exists; its name and limit stay as they are" in done.stdout, done
        assert only_feed(site)["public_query"] is is_public, option
    for which in ("1", url, "lab.exa", "The lab"):
        assert url.encode() in site.expect(0, "harvest", "status", which).stdout, which
    assert b"no feed" in site.expect(1, "harvest", "status", "nothing of this kind").stderr
    site.expect(0, "harvest", "disable", "1")
    assert b"no enabled feed" in site.expect(1, "harvest", "kick", url).stderr
    assert not only_feed(site)["system_enabled"] and only_feed(site)["next_fetch_attempt"] == ""
    site.expect(0, "harvest", "enable", "1")
    assert b"1 feed is due now" in site.expect(0, "harvest", "kick", "http://lab.example.org").stdout
    site.expect(2, "harvest", "kick", "--all", url)
    opml = site.expect(0, "harvest", "export").stdout
    assert url.encode() in opml and b"The lab" in opml, opml
    site.expect(0, "harvest", "remove", "1")
    site.expect(1, "harvest", "remove", "1")
    (site.folder / "feeds.opml").write_bytes(opml)
    assert b"1 feed added, 0 already known, 0 rejected" in site.expect(0, "harvest", "import", "feeds.opml").stdout
    (site.folder / "feeds.opml").write_text(opml_of([url, "gopher://old.example.org/", "http://x.example.org/a"]))
    done = site.expect(1, "harvest", "import", "feeds.opml")
    assert b"1 feed added, 1 already known, 1 rejected" in done.stdout and b"gopher://" in done.stderr, done
    site.expect(1, "harvest", "import", "missing.opml")
    assert status_of(site)["numbers"]["feeds"] == 2
    assert b"ok       source feeds: 2, of these 0 disabled" in site.expect(0, "check").stdout
    with contextlib.closing(sqlite3.connect(site.folder / "var" / "history.db")) as store, store:
        store.execute(f"UPDATE feeds SET next_fetch_attempt = '{LONG_AGO}'")
    assert b"no harvester has run in the last 5 minutes" in site.expect(1, "check").stdout


@check("The two source feeds of the example are fetched, copied, and linked to what they mention")
def _(site):
    shutil.copytree(EXAMPLES / "feeds", site.folder / "feeds")
    site.write_config(net__allow="127.0.0.0/8")
    site.start()
    site.feed("Gene", "WBGene00006763")  # recorded, so that its label is known
    feeds = {"127.0.0.1": "lab-news.rss", "127.0.0.2": "journal.atom"}  # so that neither waits for the other's pause
    with FileServers(site.folder / "feeds", list(feeds)) as server:
        for host, name in feeds.items():
            site.expect(0, "harvest", "add", server.url(host, name))
        site.expect(0, "harvest", "--once")
        lab, journal = status_of(site)["feeds"]
        assert lab["rss_title"] == "News of the synapse lab" and lab["system_status"] == "Working", lab
        assert journal["rss_title"].startswith("Journal of Worm Synapses"), journal
        text = site.expect(0, "harvest", "status", "lab-news").stdout
        assert b"fetch_succeeded  0 skipped / 2 added" in text, text
        site.expect(0, "harvest", "--once")
        assert status_of(site)["feeds"] == [lab, journal], "nothing was due"
        news = site.folder / "feeds" / "lab-news.rss"
        news.write_bytes(news.read_bytes().replace(b"We have moved", b"We have moved upstairs"))
        site.expect(0, "harvest", "kick", "--all")
        harvest_until(site, lambda: all(feed["last_fetch_success"] > journal["last_fetch_success"]
                                        for feed in status_of(site)["feeds"]), "both are fetched again")
        text = site.expect(0, "harvest", "status", "lab-news").stdout
        assert b"1 skipped / 0 added / 1 edited" in text, text
        text = site.expect(0, "harvest", "status", "journal").stdout
        assert b"not modified" in text, text
    items = json.loads(site.get("/rss?feed=1&format=json").body)["items"]
    assert len(items) == 3 and "upstairs" in items[0]["title"], items
    assert items[1]["content_html"].endswith(" Ask Zoë.</p>"), items
    (mentioned,) = json.loads(site.get("/feeds?q=journal&format=json").body)["feeds"]
    assert mentioned["url"] == journal["url"], mentioned
    history = json.loads(site.get("/history?class=Gene&name=WBGene00006763&format=json").body)
    assert history["mentioned"] == 2, history
    feed = site.feed("Gene", "WBGene00006763", include="mentions").text
    assert "New strain for unc-26" in feed and "uncoating of vesicles" in feed, feed[:2000]
    assert b"uncoating" in site.expect(0, "get", "/history?class=Paper&name=WBPaper00004489").stdout
