"""The release job over two made releases: its processes, and the stores that it fills.

SPDX-License-Identifier: MIT
"""
import contextlib
import functools
import os
import pathlib
import random
import re
import shutil
import sqlite3
import tempfile

import tables
from checks import same
from mariadb import MariaDb
from prewarm_job import JOB_SECONDS, Job, make_builds, paused
from site_of_varve import Site, eventually

OBJECTS = 3000
FIRST, NEXT = RELEASES = ("WS300", "WS301")
GO_ON = "Run the same command to continue"


@functools.cache
def made_builds():
    """Returns the folder with the two builds and the list of what the second one changed."""
    folder = pathlib.Path(tempfile.mkdtemp())
    make_builds(folder, RELEASES, OBJECTS, "--changes", str(folder / "changes.tsv"))
    return folder


@functools.cache
def kinds():
    """Returns what happened to objects in the second release, by (class, name)."""
    with open(made_builds() / "changes.tsv", encoding="utf-8") as lines:
        return {(class_name, name): kind
                for kind, class_name, name, _, _ in (line.split("\t") for line in lines)}


def some_objects(kind, count):
    """Returns the objects to which this happened: changed, created, vanished, restamped, or same."""
    if kind != "same":
        named = {each for each, happened in kinds().items() if happened == kind}
    else:
        dump = (made_builds() / FIRST / "dump.ace").read_text()
        named = set(re.findall(r'(?m)^(\w+) : "([^"\\\n]+)" -O', dump)) - kinds().keys()
    return random.Random(7).sample(sorted(named), count)


def put_builds(site):
    """Adds both builds, the first one current and the second hidden. Makes a store of SQLite."""
    for release in RELEASES:
        shutil.copytree(made_builds() / release, site.builds / release, copy_function=os.link)
    site.switch_to(FIRST)
    site.expect(0, "init")


@functools.cache
def undisturbed():
    """Returns the tables after one run for each release without faults."""
    site = Site()
    try:
        put_builds(site)
        found = {}
        for release in RELEASES:
            site.switch_to(release)
            Job(site).expect_done()
            found[release] = SqliteStore(site).tables()
        return found
    finally:
        site.close()


class SqliteStore:
    config = "varve.conf"

    def __init__(self, site):
        self.path = site.folder / "var" / "history.db"

    def rows(self, sql):
        with sqlite3.connect(self.path) as store:
            return store.execute(sql).fetchall()

    def tables(self):
        assert self.rows("PRAGMA integrity_check") == [("ok",)]
        return tables.in_sqlite(self.path)


class MariaDbStore:
    """Makes a new store on the server, and site.CONFIG for it."""
    config = "mariadb.conf"

    def __init__(self, site, server, **settings):
        self.server = server
        self.database = server.create_database()
        site.write_config(self.config, store__url=server.url(self.database), **settings)
        site.expect(0, "init", config=self.config)

    def rows(self, sql):
        told = eventually(lambda: self._told(sql), "no deadlock")[0].splitlines()
        return [tuple(int(word) if word.isdigit() else word for word in line.split("\t"))
                for line in told]

    def _told(self, sql):
        """Returns None when MariaDB gave this up because it and another transaction waited for each other."""
        try:
            return (self.server.tell(sql, self.database),)
        except AssertionError as failure:
            if "ERROR 1213" not in str(failure):
                raise
            return None

    def tables(self):
        return tables.in_node(self.server, self.database)


@functools.cache
def mariadb():
    return MariaDb()


def close_shared():
    """Ends what the checks of the release job share."""
    if made_builds.cache_info().currsize:
        shutil.rmtree(made_builds())
    if mariadb.cache_info().currsize:
        mariadb().close()


def recorded(store):
    """Returns how far the job is: a tree for each object that is new, changed or gone."""
    return store.rows("SELECT count(*) FROM trees")[0][0]


def unfinished_parts(store):
    """Returns the holders of leases by task and part."""
    found = store.rows("SELECT task, part, owner FROM parts WHERE done = 0"
                       " ORDER BY task, part")
    return {(task, part): owner for task, part, owner in found}


def expect_same(store, release):
    """Checks that the store holds what one undisturbed run leaves, and nothing twice."""
    same(store.tables(), undisturbed()[release], release)


def is_served(site, release):
    """A condition: the running server answers from this build."""
    return lambda: f'"release":"{release}"' in site.get("/healthz").text


def to_be_interrupted():
    """For Job(prepare=…): on a busy machine others come first, so that the check notices how far the job is."""
    os.nice(10)


def until_recorded(job, store, trees, then=lambda: None):
    """Returns once that many trees are recorded, while the job still runs. The job waits
    while they are counted, and then() is called, so that it cannot end before a slow machine has noticed."""
    def are_recorded():
        assert job.runs(), f"done before {trees} were recorded: {job.told()[-2000:]}"
        # SQLite gives up ("locking protocol") when the job is paused while it holds a lock of the log.
        with contextlib.suppress(sqlite3.OperationalError), paused(job):
            if recorded(store) < trees:
                return False
            then()
            return True
    eventually(are_recorded, f"{trees} trees recorded", JOB_SECONDS, every=0.002)
