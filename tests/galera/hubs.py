"""Three hubs over the nodes of a cluster, of which one is killed in the middle of deliveries.

SPDX-License-Identifier: MIT
"""
import os
import signal
import subprocess
import urllib.parse

from checks import check
from cluster import end_with_parent
from site_of_varve import PROGRAM, eventually
from subscribers import Subscribers, subscription_rows
from warming import RELEASES, Job, undisturbed

TOPICS = int(os.environ.get("HUB_TOPICS", "300"))
SUBSCRIBERS = 10  # of each topic
LONG_AGO = "2000-01-01T00:00:00Z"


class Hub:
    """`varve hub` over the nodes in this order."""

    def __init__(self, world, database, *order):
        name = f"hub{order[0]}"
        self.log = world.site.folder / f"{name}.log"
        config = world.site.write_config(f"{name}.conf", store__url=world.cluster.url(database, *order),
                                         hub__enabled="yes", net__allow="127.0.0.0/8")
        with self.log.open("wb") as log:
            self.process = subprocess.Popen([str(PROGRAM), "hub", "--config", str(config)], cwd=world.site.folder,
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            preexec_fn=end_with_parent)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        """Ends it as a service manager does."""
        if self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(60) == 0, self.log.read_text()[-2000:]


class Queue:
    """What the store says of the deliveries."""

    def __init__(self, world, database):
        self.world, self.database = world, database

    def ask(self, sql):
        return self.world.cluster.nodes[2].tell(sql, self.database).split()

    def number(self, condition):
        return int(self.ask(f"SELECT COUNT(*) FROM subscriptions WHERE {condition}")[0])

    def claimed(self):
        return set(self.ask("SELECT callback FROM subscriptions WHERE claim > 0"))

    # Both do what a minute does, after which the claims of a hub that is dead end.

    def end_look(self):
        self.ask("UPDATE hub_notes SET number = 0 WHERE name = 'looker'")

    def end_claims(self):
        self.ask(f"UPDATE subscriptions SET due_at = '{LONG_AGO}' WHERE claim > 0")


def deliver_and_kill(queue, hubs, subscribers):
    """Kills the first hub when a third is delivered; waits for the rest. Returns the callbacks that it was working on."""
    eventually(lambda: subscribers.count > TOPICS * SUBSCRIBERS // 3, "a third is delivered", 60)
    hubs[0].kill()
    queue.end_look()
    eventually(lambda: queue.number("due_at > '' AND claim = 0 OR queued = 0") == 0
               and queue.number("claim > 0") == queue.number("delivered = 0"),
               "the others have delivered what they could", 60)
    claimed = queue.claimed()
    queue.end_claims()
    eventually(lambda: queue.number("delivered = 0") == 0, "everything is delivered", 60)
    return claimed


def expect_each_once(subscribers, may_be_twice):
    """Checks that each subscriber has got the notification, and twice only what the dead hub had claimed."""
    assert len(subscribers.got) == TOPICS * SUBSCRIBERS, len(subscribers.got)
    twice = {urllib.parse.urlsplit(callback).path for callback in may_be_twice}
    for target, bodies in subscribers.got.items():
        assert len(bodies) == 1 or len(bodies) == 2 and target in twice, (target, len(bodies))
        assert RELEASES[1].encode() in bodies[0], bodies[0][:300]


@check("Three hubs, of which one is killed in the middle, deliver everything to everybody, and nothing recorded twice")
def _(world):
    undisturbed(world)  # makes the builds
    world.publish(RELEASES[0])
    database = world.new_database()
    queue = Queue(world, database)
    store = world.cluster.url(database, 3, 1, 2)
    Job(world.site, "first", store).expect_done()
    world.publish(RELEASES[1])
    Job(world.site, "next", store).expect_done()
    changed = world.cluster.nodes[0].tell(f"SELECT class, name FROM history WHERE version = '{RELEASES[1]}' AND"
                                          f" name NOT LIKE '%\\\\%' ORDER BY sid LIMIT {TOPICS}", database)
    objects = [line.split("\t") for line in changed.splitlines()]
    assert len(objects) == TOPICS, len(objects)
    subscribers = Subscribers()
    hubs = []
    try:
        for sql in subscription_rows(f"http://127.0.0.1:{world.site.port}", objects,
                                     lambda i: [subscribers.callback(i + j, f"{i}/{j}") for j in range(SUBSCRIBERS)]):
            queue.ask(sql)
        hubs = [Hub(world, database, *order) for order in ((1, 2, 3), (2, 3, 1), (3, 1, 2))]
        claimed = deliver_and_kill(queue, hubs, subscribers)
        for hub in hubs[1:]:
            hub.end()
        expect_each_once(subscribers, claimed)
        print(f"    {TOPICS * SUBSCRIBERS} subscriptions, {subscribers.count} deliveries,"
              f" {len(claimed)} claims of the hub that was killed")
    finally:
        for hub in hubs:
            hub.kill()
        subscribers.close()
