"""Feed readers in common use, each with what it finds in a feed: newsboat, Python's feedparser,
and feedsmith, rss-parser and feedparser of npm.

SPDX-License-Identifier: MIT
"""
import atexit
import calendar
import collections
import datetime
import email.utils
import functools
import html
import json
import pathlib
import re
import sqlite3
import subprocess
import tempfile

import feedparser

from site_of_varve import HERE

SECONDS = 120

# date: seconds since 1970, without a fraction.
Item = collections.namedtuple("Item", "title id date link")


def _seconds(text):
    if text[:1].isdigit():
        return int(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp())
    return int(email.utils.parsedate_to_datetime(text).timestamp())


def by_feedparser(address):
    read = feedparser.parse(address)
    assert not read.bozo, (address, read.get("bozo_exception"))
    return [Item(entry.title, entry.id, calendar.timegm(entry.published_parsed), entry.link)
            for entry in read.entries]


def entry_of(feed, link_end):
    read = feedparser.parse(feed)
    assert not read.bozo, read.get("bozo_exception")
    return next(entry for entry in read.entries if entry.link.endswith(link_end))


def without_blanks(text):
    return "".join(text.split())


def without_tags(content):
    return re.sub("<[^>]*>", "", content)


def words_of(content):
    """Returns what is left of HTML for somebody who sees no tags, without blanks: readers put them where
    a tag was, or don't."""
    return without_blanks(html.unescape(without_tags(content)))


@functools.lru_cache(maxsize=None)
def _npm():
    """Returns the process of npm's readers, which ends with this one."""
    process = subprocess.Popen(["node", str(HERE / "clients" / "parse_feed.mjs")], text=True, encoding="utf-8",
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    atexit.register(process.communicate)
    return process


def by_npm(bodies):
    """bodies: of feeds or OPML. Returns what tests/clients/parse_feed.mjs finds in each."""
    process, found = _npm(), []
    for body in bodies:
        process.stdin.write(json.dumps(body.decode("utf-8")) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        assert line, f"the readers of npm ended with status {process.wait()}"
        found.append(json.loads(line))
        assert "error" not in found[-1], found[-1]["error"]
    return found


def items_of(items):
    """Returns those that an npm reader found."""
    return [Item(item["title"], item["id"], _seconds(item["date"]), item["link"]) for item in items]


def by_newsboat(address):
    """The order is its own. It runs for each feed, since its cache holds an id only once."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "urls").write_text(address + "\n")
        (folder / "config").touch()
        done = subprocess.run(["newsboat", "-u", "urls", "-c", "cache.db", "-C", "config", "-x", "reload"], cwd=folder,
                              env={"HOME": name, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TERM": "dumb"},
                              capture_output=True, text=True, timeout=SECONDS, check=False)
        assert done.returncode == 0, (done.stdout, done.stderr)
        with sqlite3.connect(folder / "cache.db") as cache:
            rows = cache.execute("SELECT title, guid, pubDate, url FROM rss_item").fetchall()
        cache.close()
    return [Item(*row) for row in rows]
