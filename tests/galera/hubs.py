"""Three hubs over the nodes of a cluster, of which one is killed in the middle of deliveries to counting subscribers.

SPDX-License-Identifier: MIT
"""
import collections
import os
import signal
import subprocess
import urllib.parse

from checks import check
from cluster import end_with_parent
from servers import Servers, response
from site_of_varve import PROGRAM, eventually
from subscription_rows import subscription_rows
from warming import RELEASES, job_on, undisturbed

HOSTS = [f"127.0.2.{i + 1}" for i in range(20)]


class Subscribers(Servers):
    def __init__(self):
        self.got = collections.defaultdict(list)  # by path and query of the callback: bodies in their order
        self.count = 0
        super().__init__(HOSTS)

    def callback(self, number, path):
        return f"http://{HOSTS[number % len(HOSTS)]}:{self.port}/{path}"

    def answer(self, line, _fields, body):
        method, target, _version = line.split(" ")
        echo = b""
        if method == "GET":  # intent verification
            echo = urllib.parse.parse_qs(urllib.parse.urlsplit(target).query)["hub.challenge"][0].encode()
        else:
            self.got[target].append(body)
            self.count += 1
        return response(200, echo)


TOPICS = int(os.environ.get("HUB_TOPICS", "300"))
SUBSCRIBERS = 10  # of each topic
SECONDS = 60 + TOPICS // 30
LONG_AGO = "2000-01-01T00:00:00Z"


class Hub:
    """`varve hub` over a store."""

    def __init__(self, site, name, store):
        self.log = site.folder / f"{name}.log"
        config = site.write_config(f"{name}.conf", store__url=store, hub__enabled="yes", net__allow="127.0.0.0/8")
        with self.log.open("wb") as log:
            self.process = subprocess.Popen([str(PROGRAM), "hub", "--config", str(config)], cwd=site.folder,
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=end_with_parent)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        """Ends it as a service manager does."""
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(60) == 0, self.log.read_text()[-2000:]


class Queue:
    """What the store says of the deliveries; ask(sql) returns lines."""

    def __init__(self, ask):
        self.ask = ask

    def number(self, condition):
        return int(self.ask(f"SELECT COUNT(*) FROM subscriptions WHERE {condition}")[0])

    def claimed(self):
        return set(self.ask("SELECT callback FROM subscriptions WHERE claim > 0"))

    # Both do what a minute does, after which the claims of a hub that is dead end.

    def end_looks(self):
        self.ask(f"UPDATE topics SET look_at = '{LONG_AGO}' WHERE claim > 0")

    def end_claims(self):
        self.ask(f"UPDATE subscriptions SET due_at = '{LONG_AGO}' WHERE claim > 0")


def changed_objects(ask, release):
    """Returns objects that the release changed, as many as topics are wanted."""
    found = ask(f"SELECT class, name FROM history WHERE version = '{release}' AND kind = 'changed' ORDER BY sid"
                f" LIMIT {TOPICS}")
    assert len(found) == TOPICS, len(found)
    return [line.split("\t") for line in found]


def deliver_and_kill(queue, hubs, subscribers):
    """Kills the first hub when a third is delivered; waits for the rest. Returns the callbacks that it was working on."""
    eventually(lambda: subscribers.count > TOPICS * SUBSCRIBERS // 3, "a third is delivered", SECONDS)
    hubs[0].kill()
    queue.end_looks()
    eventually(lambda: queue.number("due_at > '' AND claim = 0 OR queued = 0") == 0
               and queue.number("claim > 0") == queue.number("delivered = 0"),
               "the others have delivered what they could", SECONDS)
    claimed = queue.claimed()
    queue.end_claims()
    eventually(lambda: queue.number("delivered = 0") == 0, "everything is delivered", SECONDS)
    return claimed


def expect_each_once(subscribers, may_be_twice, release):
    """Checks that each subscriber has got the notification, and twice only what the dead hub had claimed."""
    assert len(subscribers.got) == TOPICS * SUBSCRIBERS, len(subscribers.got)
    twice = {urllib.parse.urlsplit(callback).path for callback in may_be_twice}
    for target, bodies in subscribers.got.items():
        assert len(bodies) == 1 or len(bodies) == 2 and target in twice, (target, len(bodies))
        assert release.encode() in bodies[0], bodies[0][:300]


@check("Three hubs, of which one is killed in the middle, deliver everything to everybody, and nothing recorded twice")
def _(world):
    undisturbed(world)  # makes the builds
    database = world.new_database()
    for release in RELEASES:
        world.publish(release)
        job_on(world.site, release, world.cluster.url(database, 3, 1, 2)).expect_done()

    def ask(sql):
        return world.cluster.nodes[2].tell(sql, database).splitlines()

    queue, hubs = Queue(ask), []
    with Subscribers() as subscribers:
        def callbacks(i):
            return [subscribers.callback(i + j, f"{i}/{j}") for j in range(SUBSCRIBERS)]

        try:
            for sql in subscription_rows(f"http://127.0.0.1:{world.site.port}", changed_objects(ask, RELEASES[1]),
                                         callbacks):
                ask(sql)
            hubs += [Hub(world.site, f"hub{order[0]}", world.cluster.url(database, *order))
                     for order in ((1, 2, 3), (2, 3, 1), (3, 1, 2))]
            claimed = deliver_and_kill(queue, hubs, subscribers)
            for hub in hubs[1:]:
                hub.end()
            expect_each_once(subscribers, claimed, RELEASES[1])
            print(f"    {TOPICS * SUBSCRIBERS} subscriptions, {subscribers.count} deliveries,"
                  f" {len(claimed)} claims of the hub that was killed")
        finally:
            for hub in hubs:
                hub.kill()
