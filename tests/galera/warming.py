"""The release job on two nodes and requests on the third, while nodes, jobs and servers die and return.

SPDX-License-Identifier: MIT
"""
import collections
import os
import random

import tables
from checks import check
from cluster import end_with_parent
from load import Load
from prewarm_job import SMALL_PARTS, Job, make_builds, paused
from readers import Readers, page_of
from site_of_varve import eventually
from web import Web
from world import objects_in, paths_of

RELEASES = ("WS200", "WS201")  # of the builds that are made here
ROUNDS = int(os.environ.get("ATTACK_ROUNDS", "1"))
OBJECTS = 3000 if ROUNDS == 1 else 30000


def some_paths(site):
    """Returns objects that both releases hold, as many as readers request."""
    named = sorted(set.intersection(*(set(objects_in(site.dump_of(release))) for release in RELEASES)))
    return paths_of(random.Random(3).sample(named, 400))


def job_on(site, name, store, *words):
    """Starts `varve prewarm` of the current build: of all its objects, or with other arguments `words`."""
    config = site.write_config(f"{name}.conf", store__url=store)
    return Job(site, *(words or ("--all",)), "--jobs", "2", *SMALL_PARTS, config=config.name, prepare=end_with_parent)


class Undisturbed:
    """The pages of some paths and the tables after one job for each of the two releases, without a cluster."""

    def __init__(self, site):
        make_builds(site.builds, RELEASES, OBJECTS)
        self.paths = some_paths(site)
        self.pages, self.tables = prewarmed_on_sqlite(site, self.paths)


def prewarmed_on_sqlite(site, paths):
    store = site.folder / "var" / "warmed.db"
    site.write_config("init.conf", store__url=f"sqlite:{store}")
    site.expect(0, "init", config="init.conf")
    pages, found = [], []
    for release in RELEASES:
        site.switch_to(release)
        job_on(site, "alone", f"sqlite:{store}").expect_done()
        web = Web(site, "reference", f"sqlite:{store}")
        try:
            web.wait_for(release)
            pages.append({path: page_of(web.get(path)) for path in paths})
        finally:
            web.close()
        found.append(tables.in_sqlite(store))
    return pages, found


def undisturbed(world):
    if world.undisturbed is None:
        world.undisturbed = Undisturbed(world.site)
    return world.undisturbed


def is_prewarmed(node, database, release, objects):
    """Returns whether that many objects were compared in the release."""
    counted = node.ask(f"SELECT COUNT(*) FROM objects o JOIN builds b ON b.number = o.build WHERE b.version = '{release}'", database)
    return counted is not None and int(counted) >= objects


def warm_and_kill(world, database, web, pages, release, kill):
    """Runs two jobs at once; halfway kill(jobs) kills a node, which then returns. Returns
    the summary of the first job, which counts the work of both."""
    cluster = world.cluster
    world.publish(release)
    jobs = [job_on(world.site, f"job{order[0]}", cluster.url(database, *order))
            for order in ((1, 2, 3), (2, 3, 1))]
    try:
        with Readers([web], pages) as readers:
            third = cluster.nodes[2]

            def node_killed_on_the_way():
                assert all(job.runs() for job in jobs), "the jobs were done before a node was killed"
                with paused(*jobs):
                    return is_prewarmed(third, database, release, OBJECTS // 10) and kill(jobs)

            node = eventually(node_killed_on_the_way, "a part is prewarmed", 120)
            cluster.bring_back(node)
            summary = [job.expect_done() for job in jobs if not job.killed][0]
    finally:
        for job in jobs:
            job.end()
    print(f"    {release}: {summary['looked_at']} objects in {summary['seconds']:.1f} s")
    assert not readers.faults, readers.faults[:3]
    return summary


def counted(summary):
    return sum(summary[what] for what in ("new", "changed", "unchanged", "compared_before", "vanished"))


@check("Two jobs for two releases, with a node dying in each, give the same store as one job alone")
def _(world):
    wanted = undisturbed(world)
    world.publish(RELEASES[0])
    database = world.new_database()
    web = world.serve(database, 3, 1, 2)
    web.wait_for(RELEASES[0])
    first, second, _ = world.cluster.nodes

    def node_dies(_jobs):
        first.kill()
        return first

    def machine_dies(jobs):
        jobs[1].kill()
        second.kill()
        return second

    for release, pages, kill in zip(RELEASES, wanted.pages, (node_dies, machine_dies)):
        summary = warm_and_kill(world, database, web, pages, release, kill)
        assert summary["finished"] and summary["failed"] == 0, summary
        assert summary["looked_at"] == counted(summary), summary
    tables.expect_same(world.cluster, database, wanted.tables[-1])


def kill_one_at_random(world, database, job, paths, victim, chance, kills):
    """Kills it at some moment, while objects are requested. Returns the job that goes on."""
    web = world.serve(database, *chance.sample((1, 2, 3), 3))
    web.wait_for(RELEASES[0])
    with Load(web, paths, clients=2) as load:
        eventually(lambda: load.count() and chance.random() < 0.1, "the moment to kill", every=0.02)
        kills[victim if job.runs() else "after the job"] += 1
        if victim == "server":
            web.close()
        elif victim == "node":
            node = chance.choice(world.cluster.nodes)
            node.kill()
            world.cluster.bring_back(node)
        else:
            job.kill()
            return job_on(world.site, "attacked", world.cluster.url(database, 2, 3, 1))
    return job


@check("Under attack: jobs, servers and nodes of a cluster, killed at random moments, lose and double nothing",
       nightly=True)
def _(world):
    wanted = undisturbed(world)
    chance, kills = random.Random(ROUNDS), collections.Counter()
    for _ in range(ROUNDS):
        database = world.new_database()
        world.publish(RELEASES[0])
        job = job_on(world.site, "attacked", world.cluster.url(database, 1, 2, 3))
        for victim in chance.sample(("job", "server", "node"), 3):
            job = kill_one_at_random(world, database, job, wanted.paths, victim, chance, kills)
        job.expect_done()
        world.end_servers()
        tables.expect_same(world.cluster, database, wanted.tables[0])
    print("    killed under jobs: " + ", ".join(f"{what} {count}" for what, count in sorted(kills.items())))
