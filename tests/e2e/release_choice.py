"""What the release job can warm: a staged build, some objects, or nothing valid.

SPDX-License-Identifier: MIT
"""
import json

import job
from checks import check
from job import FIRST, NEXT, SqliteStore
from prewarm_job import adds_up
from site_of_varve import eventually, rss_path

# The part of the store that a request for an object could write, except how often objects were requested.
CONTENT = ("SELECT oid, class, name, label, signature, last_modification_date, build, bytes, held"
           " FROM objects ORDER BY oid",
           "SELECT sid, oid, version, recorded_at, notes FROM history ORDER BY sid",
           "SELECT oid, version, tree FROM trees ORDER BY oid, version",
           "SELECT name, value FROM meta WHERE name NOT LIKE 'shown.%'"
           " AND name <> 'probe' ORDER BY name")


def prewarm(site, *words, status=0):
    """Returns the summary of a job that must finish."""
    summary = json.loads(site.expect(status, "prewarm", "--json", *words).stdout)
    assert summary["finished"] and adds_up(summary), summary
    return summary


def content_of(store):
    return [store.rows(query) for query in CONTENT]


def compared_in(store, class_name, name):
    """Returns the release of the build that the object was compared with last, or None when it has no row."""
    found = store.rows("SELECT b.version FROM objects o JOIN builds b ON b.number = o.build"
                       f" WHERE o.class = '{class_name}' AND o.name = '{name}'")
    return found[0][0] if found else None


@check("A build prewarmed before the switch is invisible until then, and needs no loading after it")
def _(site):
    job.put_builds(site)
    site.start()
    eventually(job.is_served(site, FIRST), f"{FIRST} is served")
    kinds = (("changed", 3), ("vanished", 2), ("restamped", 1), ("same", 1), ("created", 3))
    paths = {kind: [rss_path(*each) for each in job.some_objects(kind, count)]
             for kind, count in kinds}
    every = sum(paths.values(), [])
    before = {path: site.get(path) for path in every}
    summary = prewarm(site, "--all", "--build", str(site.builds / NEXT))
    assert summary["release"] == NEXT and summary["before"]["release"] == FIRST, summary
    early = site.expect(1, "feed", "--release", NEXT)
    assert b"is newer than the current release" in early.stderr and b"did you mean" not in early.stderr, early
    for path, reply in before.items():
        again = site.get(path)
        assert (again.status, again.body) == (reply.status, reply.body), (path, reply, again)
        assert reply.status == (404 if path in paths["created"] else 200), (path, reply)
    store = SqliteStore(site)
    prewarmed = content_of(store)
    site.switch_to(NEXT)
    eventually(job.is_served(site, NEXT), f"{NEXT} is served")
    for path in every:
        is_news = path in paths["changed"] + paths["vanished"] + paths["created"]
        reply = site.get(path)
        assert reply.status == 200 and (f"in {NEXT}" in reply.text) == is_news, (path, reply)
    assert content_of(store) == prewarmed, "a request has written what the job had left out"
    job.expect_same(store, NEXT)


@check("Only the listed objects are prewarmed, and an unknown one is reported")
def _(site):
    job.put_builds(site)
    genes = [name for class_name, name in job.some_objects("same", 400) if class_name == "Gene"]
    lines = [f"Gene\t{name}" for name in genes[:3] + genes[:1]]
    lines += ["", "# a remark", "Gene\tnobody", f"Gene\t{genes[3].lower()}"]
    (site.folder / "list").write_text("\n".join(lines) + "\n")
    summary = prewarm(site, "--list", "list", status=3)
    assert (summary["looked_at"], summary["failed"]) == (5, 1), summary
    (failure,) = summary["failures"]
    assert (failure["class"], failure["name"]) == ("Gene", "nobody") and failure["reason"], summary
    store = SqliteStore(site)
    assert {compared_in(store, "Gene", name) for name in genes[:4]} == {FIRST}
    assert store.rows("SELECT count(*) FROM objects") == [(4,)]
