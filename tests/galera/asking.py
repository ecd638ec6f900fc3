"""Requests while nodes of the cluster die and come back.

SPDX-License-Identifier: MIT
"""
import threading
import time

import tables
from readers import Readers, page_of
from site_of_varve import eventually
from world import RELEASES, objects_of, paths_of

CHECKS = []


class Check:
    def __init__(self, sentence, function):
        self.sentence = sentence
        self.function = function


def check(sentence):
    return lambda function: CHECKS.append(Check(sentence, function))


def at_once(webs, paths):
    """Each path asked of all servers at the same moment; the answers, a list for each server."""
    together = threading.Barrier(len(webs))
    answers = [[] for _ in webs]

    def ask(web, replies):
        for path in paths:
            together.wait(60)
            replies.append(web.get(path))

    threads = [threading.Thread(target=ask, args=pair) for pair in zip(webs, answers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


@check("first requests of one object on three nodes at once leave one row and give one page")
def _(world):
    paths = paths_of(objects_of(world.site, 100))
    pages, rows = world.reference(paths)
    database = world.new_database()
    world.publish(RELEASES[0])
    webs = [world.serve(database, number) for number in (1, 2, 3)]
    for version in RELEASES:
        world.publish(version)
        answers = at_once(webs, paths)
    for replies in answers:
        for path, reply in zip(paths, replies, strict=True):
            assert reply.status == 200 and page_of(reply) == pages[path], (path, reply)
    tables.expect_same(world.cluster, database, rows)


def three_servers(world, paths):
    """A store that has seen two releases, and a server that speaks to each node first."""
    pages, rows = world.reference(paths)
    database = world.new_database()
    world.publish(RELEASES[0])
    webs = [world.serve(database, 1, 2, 3), world.serve(database, 2, 3, 1), world.serve(database, 3, 1, 2, cache_mb=64)]
    for version in RELEASES[:-1]:
        world.publish(version)
        for path in paths:
            webs[0].get(path)
    world.publish(RELEASES[-1])
    return database, webs, pages, rows


@check("a node is killed: requests go on by the next one, and by it when it is back")
def _(world):
    paths = paths_of(objects_of(world.site, 100))
    database, webs, pages, rows = three_servers(world, paths)
    first, *others = world.cluster.nodes
    with Readers(webs, pages) as readers:
        killed = time.monotonic()
        first.kill()
        for web in webs:
            eventually(lambda web=web: readers.faults or readers.answered(web, 200, killed), "requests go on")
        world.cluster.bring_back(first)
        for node in others:
            node.kill()
            world.cluster.bring_back(node)
    print(readers.told(killed))
    assert not readers.faults, readers.faults[:3]
    for web in webs:
        for path in paths:
            assert page_of(web.get(path)) == pages[path], path
    tables.expect_same(world.cluster, database, rows)


@check("two nodes are killed: the last one is asked in vain, until it is made a cluster again")
def _(world):
    paths = paths_of(objects_of(world.site, 100))
    database, webs, pages, rows = three_servers(world, paths)
    first, *others = world.cluster.nodes
    with Readers(webs, pages) as readers:
        killed = time.monotonic()
        for node in others:
            node.kill()
        eventually(lambda: readers.faults or readers.answered(webs[0], 503, killed), "the server says that it can't")
        bootstrapped = time.monotonic()
        eventually(lambda: first.status("wsrep_cluster_status") != "Primary", "the node knows that it is alone")
        world.cluster.bootstrap(first)
        for web in webs:
            eventually(lambda web=web: readers.faults or readers.answered(web, 200, bootstrapped), "requests go on")
        world.cluster.bring_back(*others)
    print(readers.told(bootstrapped))
    assert not readers.faults, readers.faults[:3]
    for path in paths:
        assert page_of(webs[0].get(path)) == pages[path], path
    tables.expect_same(world.cluster, database, rows)
