"""A site with a hub, as subscribers and their libraries meet it.

SPDX-License-Identifier: MIT
"""
import http.client
import sqlite3
import urllib.parse

import feedparser

import golden
import readers
from checking import check, same

FORM = "application/x-www-form-urlencoded"
FEEDS = ("/rss?class=Gene&name=WBGene00006763", "/rss?object=Gene:WBGene00006763&object=Paper:WBPaper00031000",
         "/rss?class=Gene", "/release/WS187", "/releases")


def _there():
    return golden.asked("hub")


def _with_format(path, form):
    return path + ("&" if "?" in path else "?") + "format=" + form


@check("Feed libraries find the hub and the topic in every format of every kind of feed")
def _():
    site = _there()
    hub = site.world.base_url + "/hub"
    for path in FEEDS:
        paths = [_with_format(path, form) for form in ("rss", "atom", "json")]
        replies = [site.ways[1].ask("GET", each, []) for each in paths]
        for each, reply, read in zip(paths, replies, readers.by_npm([reply.body for reply in replies])):
            topic = site.world.base_url + each
            same([read["hub"], read["self"]], [hub, topic], f"feedsmith of npm, {each}")
            same([reply.fields["link"]], [f'<{hub}>; rel="hub", <{topic}>; rel="self"'], f"Link of {each}")
        for each, reply in list(zip(paths, replies))[:2]:
            links = feedparser.parse(reply.body).feed.links
            found = {link.rel: link.href for link in links if link.rel in ("hub", "self")}
            same(sorted(found.items()), [("hub", hub), ("self", site.world.base_url + each)], f"feedparser, {each}")


def _subscribe(prefix, body, kind=FORM):
    """Sends a request to the hub through Apache, and returns the status and the text of the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", _there().world.port, timeout=30)
    try:
        connection.request("POST", prefix + "/hub", body, {"Content-Type": kind})
        reply = connection.getresponse()
        return reply.status, reply.read().decode()
    finally:
        connection.close()


def _asked(number, **more):
    fields = {"hub.mode": "subscribe", "hub.callback": f"http://127.0.0.1:1024/{number}",
              "hub.topic": _there().world.base_url + FEEDS[0]}
    return urllib.parse.urlencode({**fields, **more})


def _callbacks():
    with sqlite3.connect(_there().world.folder / "var" / "history.db") as store:
        found = {callback for (callback,) in store.execute("SELECT callback FROM subscriptions")}
    store.close()
    return found


def _takes_subscriptions(way, prefix):
    world = _there().world
    if prefix == "/cgi-bin":
        world.link_cgi("hub")
    prefix = prefix or world.base_path
    status, text = _subscribe(prefix, _asked(way))
    assert status == 202, (status, text)
    assert f"http://127.0.0.1:1024/{way}" in _callbacks(), _callbacks()
    for body, kind, wanted, word in (
            (_asked(way) + "&hub.mode=subscribe", FORM, 400, "hub.mode"),
            (_asked(way, **{"hub.callback": "http://10.0.0.1/"}), FORM, 400, "hub.callback"),
            (_asked(way, **{"hub.topic": "http://elsewhere.test/"}), FORM, 400, "hub.topic"),
            (_asked(way) + "&x=" + "x" * 17000, FORM, 413, "16 KB"),
            (_asked(way) + "&x=" + "x" * 200_000, FORM, 413, "16 KB"),
            ("{}", "application/json", 415, "Content-Type")):
        status, text = _subscribe(prefix, body, kind)
        assert status == wanted and word in text, (status, text, body[:200])


for _way, _prefix in (("FastCGI", ""), ("CGI", "/cgi-bin")):
    check(f"The hub takes subscriptions through {_way}, and refuses bad ones by name")(
        lambda way=_way, prefix=_prefix: _takes_subscriptions(way, prefix))
