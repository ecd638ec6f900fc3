"""Hostile texts, names and parameters, and values of any size, on a cluster as on SQLite.

SPDX-License-Identifier: MIT
"""
import random

import tables
from asking import pages_at_once
from checks import check
from hostile import HOSTILE, ask_with, hostile_build
from warming import ROUNDS
from world import paths_of

RELEASES = ("WS1", "WS2")
# More than the connector sends at once, and more than a packet of the protocol holds.
SIZES = (300_000, 17_000_000)


def build_releases(site):
    """Returns the paths of all their objects."""
    hostile_build(site.builds / RELEASES[0], RELEASES[0], "2009-01-01", "old", SIZES)
    return paths_of(hostile_build(site.builds / RELEASES[1], RELEASES[1], "2009-02-01", "new", SIZES))


@check("Under attack: two nodes of a cluster record hostile texts, names and huge values at once as SQLite does",
       nightly=True)
def _(world):
    paths = build_releases(world.site)
    wanted, rows = world.reference(paths, RELEASES)
    chance = random.Random(ROUNDS)
    for _ in range(ROUNDS):
        database = world.new_database()
        world.publish(RELEASES[0])
        webs = [world.serve(database, number) for number in (1, 2)]
        for version in RELEASES:
            world.publish(version)
            pages = pages_at_once(webs, paths)
        for web, own in zip(webs, pages, strict=True):
            for path, page in zip(paths, own, strict=True):
                assert page == wanted[path], (web.config.name, path, page, wanted[path])
            ask_with(web, chance.sample(HOSTILE, 3), ("text/html",))
        world.end_servers()
        tables.expect_same(world.cluster, database, rows)
