"""The hub: subscribers of every format, and a hub that is killed while it delivers.

SPDX-License-Identifier: MIT
"""
import asyncio
import contextlib
import hashlib
import hmac
import json
import re
import signal
import sqlite3
import subprocess
import threading
import urllib.parse

import job
from checks import check
from job import FIRST, NEXT, MariaDbStore
from prewarm_job import Job
from servers import Servers, response
from site_of_varve import PROGRAM, eventually, rss_path
from three_hubs import Hub, expect_all_delivered

GENE = ("Gene", "WBGene00006763")
SECRET = "a secret of the subscriber"


class Subscriber(Servers):
    """Confirms what it is asked for, and keeps what it gets by path; while it holds, it answers no delivery."""

    def __init__(self):
        self.deliveries = {}
        self.open = threading.Event()
        self.open.set()
        super().__init__(["127.0.0.1"])

    def url(self, path):
        return f"http://127.0.0.1:{self.port}{path}"

    async def answer(self, line, fields, body):
        method, target, _version = line.split(" ")
        if method == "GET":
            query = urllib.parse.parse_qs(urllib.parse.urlsplit(target).query)
            return response(200, query.get("hub.challenge", [""])[0].encode())
        self.deliveries.setdefault(target, []).append((fields, body))
        while not self.open.is_set():
            await asyncio.sleep(0.01)
        return response(200, b"thanks")


@contextlib.contextmanager
def hub_of(site):
    with (site.folder / "hub.log").open("ab") as log:
        process = subprocess.Popen([str(PROGRAM), "hub", "--config", str(site.folder / "varve.conf")],
                                   stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0


def end_claims(site):
    """Does what a minute does: the claims of a hub that is gone end."""
    with contextlib.closing(sqlite3.connect(site.folder / "var" / "history.db")) as store, store:
        store.execute("UPDATE subscriptions SET due_at = '2000-01-01T00:00:00Z' WHERE claim > 0")
        store.execute("UPDATE hub_notes SET number = 0 WHERE name = 'looker'")


def status_of(site):
    return json.loads(site.expect(0, "hub", "status", "--json").stdout)


def links_of(reply):
    return {name: url for url, name in re.findall(r'<([^>]*)>; rel="(\w+)"', reply.fields["link"])}


def subscribe(site, path, callback, mode="subscribe"):
    """Returns the feed's reply, from whose fields the subscriber knows hub and topic."""
    feed = site.get(path)
    links = links_of(feed)
    form = {"hub.mode": mode, "hub.topic": links["self"], "hub.callback": callback, "hub.secret": SECRET}
    reply = site.get(urllib.parse.urlsplit(links["hub"]).path, "POST", body=urllib.parse.urlencode(form),
                     Content_Type="application/x-www-form-urlencoded")
    assert reply.status == 202, reply
    return feed


@check("Subscribers get what a release changed although the hub is killed while it delivers")
def _(site):
    site.switch_to("WS187")
    site.write_config(hub__enabled="yes", net__allow="127.0.0.0/8")
    site.start()
    paths = {"/rss?for=1": rss_path(*GENE), "/atom?for=2": rss_path(*GENE, format="atom"),
             "/json": rss_path(*GENE, format="json"), "/class": "/rss?class=Gene"}
    with Subscriber() as reader:
        feeds = {callback: subscribe(site, path, reader.url(callback)) for callback, path in paths.items()}
        with hub_of(site) as hub:
            eventually(lambda: status_of(site)["subscriptions"] == len(paths), "all subscriptions are confirmed")
            reader.open.clear()
            site.switch_to("WS188")
            eventually(lambda: reader.deliveries, "a delivery begins")
            hub.kill()
            hub.wait(60)
        reader.open.set()
        end_claims(site)
        with hub_of(site):
            eventually(lambda: status_of(site)["to_deliver"] == 0 and set(reader.deliveries) == set(paths),
                       "everything is delivered", seconds=120)
        for callback, path in paths.items():
            assert len(reader.deliveries[callback]) <= 2, (callback, len(reader.deliveries[callback]))
            fields, body = reader.deliveries[callback][-1]
            assert fields["content-type"] == feeds[callback].fields["content-type"], fields
            assert fields["link"] == feeds[callback].fields["link"], fields
            signature = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
            assert fields["x-hub-signature"] == "sha256=" + signature, fields
            assert b"WS188" in body, body[:300]
            assert callback == "/json" or b"/WS187</" not in body, "an old item came again"
        listed = json.loads(site.expect(0, "hub", "list", "--json").stdout)["subscriptions"]
        assert sorted(entry["callback"] for entry in listed) == sorted(map(reader.url, paths)), listed
        assert SECRET not in json.dumps(listed) and all(entry["signed"] for entry in listed), listed
        text = site.expect(0, "hub", "list", "atom").stdout.decode()
        assert reader.url("/atom?for=2") in text and reader.url("/json") not in text, text
        with hub_of(site):
            subscribe(site, paths["/class"], reader.url("/class"), "unsubscribe")
            eventually(lambda: status_of(site)["subscriptions"] == 3, "one has unsubscribed")


@check("Three hubs over MariaDB, of which one is killed in the middle, deliver everything to everybody",
       nightly=True)
def _(site):
    job.put_builds(site)
    store = MariaDbStore(site, job.mariadb())
    for release in (FIRST, NEXT):
        site.switch_to(release)
        Job(site, config=store.config).expect_done()
    url = store.server.url(store.database)
    expect_all_delivered(site, lambda sql: store.server.tell(sql, store.database).splitlines(),
                         lambda: [Hub(site, f"hub{i}", url) for i in range(3)], NEXT)


@check("varve hub says why it does not start")
def _(site):
    site.write_config()
    assert b"[hub] enabled" in site.expect(2, "hub").stderr
