"""A site with a hub, as subscribers and their libraries meet it.

SPDX-License-Identifier: MIT
"""
import json
import re
import subprocess
import threading

import feedparser

import golden
import readers
from checks import check, same
from site_of_varve import HERE, PROGRAM, eventually
from world import World

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
        replies = [site.http.ask("GET", each, []) for each in paths]
        for each, reply, read in zip(paths, replies, readers.by_npm([reply.body for reply in replies])):
            topic = site.world.base_url + each
            same([read["hub"], read["self"]], [hub, topic], f"feedsmith of npm, {each}")
            same([reply.fields["link"]], [f'<{hub}>; rel="hub", <{topic}>; rel="self"'], f"Link of {each}")
        for each, reply in list(zip(paths, replies))[:2]:
            links = feedparser.parse(reply.body).feed.links
            found = {link.rel: link.href for link in links if link.rel in ("hub", "self")}
            same(sorted(found.items()), [("hub", hub), ("self", site.world.base_url + each)], f"feedparser, {each}")


class Subscriber:
    """npm's pubsubhubbub in a process of its own: it subscribes as soon as it listens."""

    def __init__(self, topic, hub):
        self.process = subprocess.Popen(["node", str(HERE / "clients" / "subscriber.mjs"), topic, hub], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.events = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.events.append(json.loads(line))

    def first(self, event):
        return eventually(lambda: next((each for each in self.events if each["event"] == event), None),
                          f"{event} after {self.events}")

    def ask(self, mode):
        self.process.stdin.write(mode + "\n")
        self.process.stdin.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(120)
        self.process.stdout.close()


class HubWorld(World):
    """A site with a hub that runs; lines: of the section [site]."""

    def __init__(self, release, *lines):
        self.lines = lines
        self.hub = None
        super().__init__("hub", live=True)
        self.switch_to(release)

    def write_config(self, name="varve.conf", path="builds/current"):
        config = super().write_config(name, path)
        config.write_text(config.read_text().replace("[site]\n", "\n".join(("[site]", *self.lines, "")), 1))
        return config

    def __enter__(self):
        self.start()
        self.hub = subprocess.Popen([str(PROGRAM), "hub", "--config", str(self.folder / "varve.conf")],
                                    stdin=subprocess.DEVNULL)
        return self

    def __exit__(self, *_):
        self.hub.terminate()
        status = self.hub.wait(120)
        self.close()
        assert status == 0, status

    def subscriptions(self):
        return json.loads(self.expect(0, "hub", "status", "--json").stdout)["subscriptions"]


def _id_of_only(body):
    (entry,) = feedparser.parse(body).entries
    return entry.id.rpartition("/")[2]


@check("npm's pubsubhubbub subscribes, gets what a release changed, and unsubscribes")
def _():
    with HubWorld("WS187") as world:
        topic, hub = world.base_url + FEEDS[0], world.base_url + "/hub"
        with Subscriber(topic, hub) as subscriber:
            assert subscriber.first("accepted")["mode"] == "subscribe"
            confirmed = subscriber.first("subscribe")
            assert confirmed["topic"] == topic and confirmed["lease"] > 0, confirmed
            eventually(lambda: world.subscriptions() == 1, "the subscription is in force")
            (listed,) = json.loads(world.expect(0, "hub", "list", "--json").stdout)["subscriptions"]
            assert listed["topic"] == topic, listed
            assert listed["callback"].encode() in world.expect(0, "hub", "list", "rss").stdout, listed
            world.switch_to("WS188")
            fed = subscriber.first("feed")
            same([fed["topic"], fed["hub"], fed["type"], _id_of_only(fed["body"])],
                 [topic, hub, "application/rss+xml; charset=utf-8", "WS188"], "what is delivered")
            subscriber.ask("unsubscribe")
            assert subscriber.first("unsubscribe")["topic"] == topic
            eventually(lambda: world.subscriptions() == 0, "the subscription has ended")


@check("A reader of a private site subscribes with what the feed says, until the token is revoked")
def _():
    with HubWorld("WS186", "private = yes") as world:
        token = world.expect(0, "token", "add", "reader").stdout.decode().strip()
        link = world.get(f"{FEEDS[0]}&token={token}").fields["link"]
        hub, topic = re.findall("<([^>]*)>", link)
        same([hub, topic], [f"{world.base_url}/hub?token={token}", world.base_url + FEEDS[0]], "Link")
        with Subscriber(topic, hub) as subscriber:
            assert subscriber.first("subscribe")["topic"] == topic
            eventually(lambda: world.subscriptions() == 1, "the subscription is in force")
            world.switch_to("WS187")
            fed = subscriber.first("feed")
            same([fed["topic"], _id_of_only(fed["body"])], [topic, "WS187"], "what is delivered")
            assert token not in json.dumps(fed["body"] + fed["link"]), fed
            world.expect(0, "token", "revoke", "reader")
            world.switch_to("WS188")
            eventually(lambda: world.subscriptions() == 0, "the subscription has ended")
            same([each["event"] for each in subscriber.events].count("feed"), 1, "deliveries")
