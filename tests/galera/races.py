"""A release that is forgotten, or published again, on one node while others record it, or while the node dies.

SPDX-License-Identifier: MIT
"""
import collections
import functools
import random
import signal
import subprocess

import tables
from checks import check, same
from cluster import end_with_parent
from load import Load
from site_of_varve import HERE, PROGRAM, eventually
from warming import ROUNDS
from world import objects_in, paths_of

BEFORE, RELEASE = "WS300", "WS301"
# Folders of the publications of RELEASE, with the shares of objects that it changes, adds and removes.
PUBLICATIONS = {"first": ("30", "10", "10"), "again": ("50", "20", "20")}
FORGET = ("forget", "--yes", "release", RELEASE)
REPLACE = ("prewarm", "--replace", RELEASE)
ROUNDS_OF_DATABASE = 25
IN_FORCE = f"SELECT digest FROM builds WHERE version = '{RELEASE}' ORDER BY number DESC LIMIT 1"
# What is recorded now, whatever was recorded before. Notes end with what became of the objects that they name.
CONTENT = tables.FAULTS + (
    "SELECT 'object', class, name, label, signature, last_modification_date FROM objects WHERE signature <> ''",
    "SELECT 'row', o.class, o.name, h.version, h.since, h.date, h.signature, h.kind,"
    " MD5(SUBSTR(h.notes, 1, INSTR(h.notes, '\"previous\"'))) FROM history h JOIN objects o ON o.oid = h.oid WHERE h.kind <> 'withdrawn'",
    "SELECT 'tree', o.class, o.name, t.version, t.since, MD5(COALESCE(t.tree, '')) FROM trees t"
    " JOIN objects o ON o.oid = t.oid",
    "SELECT 'of no build', version FROM (SELECT version FROM history UNION SELECT version FROM trees) AS used"
    " WHERE version NOT IN (SELECT version FROM builds)",
    "SELECT 'being forgotten', text FROM meta WHERE name = 'forgetting' AND text <> ''",
)


@functools.cache  # of a site, which has the builds and stores from then on
class Wanted:
    """What is recorded of each publication, by its name, and without any: on SQLite, where nobody disturbs anybody."""

    def __init__(self, site):
        self.content, self.digests = {}, {}
        for name, (changed, new, vanished) in PUBLICATIONS.items():
            subprocess.run([HERE / "make_build", "--objects", "40", "--version", BEFORE, "--folder", site.builds / BEFORE,
                            "--next", site.builds / name, "--next-version", RELEASE, "--changed", changed, "--new", new,
                            "--vanished", vanished], stdout=subprocess.DEVNULL, timeout=60, check=True)
            store = site.folder / "var" / f"{name}.db"
            for build in (BEFORE, name):
                site.write_config("alone.conf", f"builds/{build}", store__url=f"sqlite:{store}")
                if build == BEFORE:
                    site.expect(0, "init", config="alone.conf")
                site.expect(0, "prewarm", "--all", config="alone.conf")
                self.content[build] = tables.in_sqlite(store, CONTENT)
            self.digests[tables.in_sqlite(store, (IN_FORCE,))[0]] = name
        self.paths = paths_of(sorted({each for name in PUBLICATIONS for each in objects_in(site.dump_of(name))}))


class Race:
    """A database in which BEFORE is recorded, a node where commands run, and at each other one a server of a publication."""

    def __init__(self, world, wanted, chance):
        self.world, self.wanted, self.chance = world, wanted, chance
        self.database = world.new_database()
        self.node, *others = chance.sample(world.cluster.nodes, 3)
        self.end(self.begin(BEFORE, "prewarm", "--all"))
        self.webs = {name: world.serve(self.database, *self.order(node), source__path=f"builds/{name}")
                     for name, node in zip(PUBLICATIONS, others)}

    @staticmethod
    def order(node):
        return [(node.number + i) % 3 + 1 for i in (-1, 0, 1)]

    def begin(self, build, *words, node=None):
        """Starts a command with the build as the current one, at this node first."""
        order = self.order(node or self.node)
        config = self.world.site.write_config(f"{words[0]}_{build}{order[0]}.conf", f"builds/{build}",
                                              store__url=self.world.cluster.url(self.database, *order))
        return subprocess.Popen([PROGRAM, words[0], "--config", config, *words[1:]], cwd=self.world.site.folder,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                preexec_fn=end_with_parent)

    def end(self, process, *statuses):
        """Waits for a command. Returns its status, which must be 0 or one of these."""
        told = process.communicate(timeout=120)[0]
        assert process.returncode in (0, *statuses), (process.args, process.returncode, told)
        return process.returncode

    def in_force(self):
        """Returns the name of the publication in force, None if there is none."""
        digest = tables.in_node(self.node, self.database, (IN_FORCE,))
        return self.wanted.digests[digest[0]] if digest else None

    def expect(self, publication):
        node = self.chance.choice(self.world.cluster.nodes)
        same(tables.in_node(node, self.database, CONTENT), self.wanted.content[publication], f"{publication} on {node.number}")

    def some_time(self):
        eventually(lambda: self.chance.random() < 0.05, "the moment", every=0.002)

    def run(self, words, disturb):
        """Runs a command while requests, and sometimes a job, record RELEASE, of which nothing was recorded."""
        self.end(self.begin(BEFORE, *FORGET), 1)
        self.expect(BEFORE)
        jobs = []
        if self.chance.random() < 0.5:
            jobs.append(self.begin(self.chance.choice(list(PUBLICATIONS)), "prewarm", "--all", "--part-objects", "10",
                                   node=self.chance.choice(self.world.cluster.nodes)))
        paths = self.chance.sample(self.wanted.paths, len(self.wanted.paths))
        first, second = self.chance.sample(list(self.webs.values()), 2)
        with Load(first, paths, clients=2) as load, Load(second, paths, clients=2):
            before = eventually(self.in_force, "one is in force")
            build = next(name for name in PUBLICATIONS if name != before) if words == REPLACE else BEFORE
            self.some_time()
            command = self.begin(build, *words)
            self.some_time()
            disturb(self, command, load)
            if self.end(command, *disturb.statuses):
                self.end(self.begin(build, *words), 1)
            self.some_time()
        for job in jobs:
            self.end(job, 1, 2, 3, 4, 75)
        now = self.in_force()
        if words == REPLACE:
            assert now == build, now
        elif now:
            self.end(self.begin(now, "prewarm", "--all"))
        self.expect(now or BEFORE)


def undisturbed(_race, _command, _load):
    pass


def stopped(race, command, load):
    """Stops the command while others go on."""
    command.send_signal(signal.SIGSTOP)
    eventually(load.each_has(race.chance.randrange(10)), "others go on")
    command.send_signal(signal.SIGCONT)


def without_its_node(race, _command, _load):
    race.node.kill()
    race.world.cluster.bring_back(race.node)


undisturbed.statuses, stopped.statuses, without_its_node.statuses = (), (), (1, 2, 75)


def run_races(world, rounds, disturbances):
    wanted, chance, done = Wanted(world.site), random.Random(ROUNDS), collections.Counter()
    for number in range(rounds):
        if number % ROUNDS_OF_DATABASE == 0:
            world.end_servers()
            race = Race(world, wanted, chance)
        for words in (FORGET, REPLACE):
            disturb = chance.choice(disturbances)
            try:
                race.run(words, disturb)
            except AssertionError as failure:
                failure.args = (f"round {number} of {ROUNDS}, {words[0]} {disturb.__name__}", *failure.args)
                raise
            done[f"{words[0]} {disturb.__name__}"] += 1
    print("    " + ", ".join(f"{what} {count}" for what, count in sorted(done.items())))


@check("Under attack: a release that is forgotten or published again on one node leaves nothing of what others record then")
def _(world):
    run_races(world, ROUNDS, (undisturbed, stopped))


@check("Under attack: the same command completes what it had begun when its node was killed")
def _(world):
    run_races(world, ROUNDS, (without_its_node,))
