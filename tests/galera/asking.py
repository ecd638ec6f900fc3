"""Requests while nodes of the cluster die and return.

SPDX-License-Identifier: MIT
"""
import time

import tables
from checks import check
from readers import Readers, page_once_recorded
from site_of_varve import eventually
from world import RELEASES, objects_of, paths_of


def three_servers(world, paths, **config):
    """Makes a store with two releases, and a server for each node that asks this node first."""
    pages, rows = world.reference(paths)
    database = world.new_database()
    world.publish(RELEASES[0])
    webs = [world.serve(database, 1, 2, 3, **config), world.serve(database, 2, 3, 1, **config),
            world.serve(database, 3, 1, 2, cache_mb=64, **config)]
    for version in RELEASES[:-1]:
        world.publish(version)
        for path in paths:
            page_once_recorded(webs[0], path)
    world.publish(RELEASES[-1])
    return database, webs, pages, rows


def until_answered(readers, web, status, since):
    eventually(lambda: readers.faults or readers.answered(web, status, since),
               f"{web.config.name} answers {status}", 60)


@check("When a node hangs, requests use the next one")
def _(world):
    paths = paths_of(objects_of(world.site, 100))
    # More than the others need to exclude a node that hangs.
    database, webs, pages, rows = three_servers(world, paths, store__give_up=6)
    first = world.cluster.nodes[0]
    with Readers(webs, pages) as readers:
        frozen = time.monotonic()
        first.freeze()
        for web in webs:
            until_answered(readers, web, 200, frozen)
        first.thaw()
        world.cluster.wait_for(3)
    assert not readers.faults, readers.faults[:3]
    for path in paths:
        assert page_once_recorded(webs[0], path) == pages[path], path
    tables.expect_same(world.cluster, database, rows)


@check("A node that is a state transfer donor is used only when no other is left",
       nightly=True)
def _(world):
    database = world.new_database()
    first, second, _ = world.cluster.nodes
    first.tell("SET GLOBAL wsrep_desync = ON")
    try:
        world.serve(database, 1, 2, 3).wait_for(RELEASES[-1])
        assert first.clients() == 0 and second.clients() > 0, (first.clients(), second.clients())
        world.serve(database, 1).wait_for(RELEASES[-1])
        assert first.clients() > 0
    finally:
        first.tell("SET GLOBAL wsrep_desync = OFF")


@check("When two nodes are killed, nothing wrong is sent, and all recovers with the cluster")
def _(world):
    paths = paths_of(objects_of(world.site, 100))
    database, webs, pages, rows = three_servers(world, paths)
    keeps = webs[2]
    for path in paths:
        page_once_recorded(keeps, path)
    for path in paths:  # now that nothing is recorded any more
        keeps.get(path)
    first, *others = world.cluster.nodes
    with Readers(webs, pages) as readers:
        for node in others:
            node.kill()
        eventually(lambda: first.status("wsrep_cluster_status") != "Primary", "the node is alone")
        alone = time.monotonic()
        for web in webs[:2]:
            until_answered(readers, web, 503, alone)
        until_answered(readers, keeps, 200, alone)
        assert not any(readers.answered(web, 200, alone) for web in webs[:2])
        world.cluster.bootstrap(first)
        bootstrapped = time.monotonic()
        for web in webs:
            until_answered(readers, web, 200, bootstrapped)
        world.cluster.bring_back(*others)
    assert not readers.faults, readers.faults[:3]
    for path in paths:
        assert page_once_recorded(webs[0], path) == pages[path], path
    tables.expect_same(world.cluster, database, rows)
