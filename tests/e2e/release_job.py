"""The release job with the real program: killed, stopped, without space or store.

SPDX-License-Identifier: MIT
"""
import json
import os
import resource
import signal
import socket
import subprocess

import job
from ace_peers import ask_database
from checks import check
from job import FIRST, GO_ON, NEXT, OBJECTS, MariaDbStore, SqliteStore
from prewarm_job import Job
from site_of_varve import PROGRAM, eventually

# The shares of a release's records after which the job is killed.
FIVE, TWO = (0, 0.15, 0.3, 0.45, 0.6), (0.1, 0.5)


def trees_of(release):
    """Returns how many trees the store has when the release is prewarmed."""
    return sum(row.startswith("tree\t") for row in job.undisturbed()[release])


def kill_at(site, store, trees):
    """Starts the job and kills it when that many are recorded, at least one by it. It continued
    with the part that a killed one before it held, whose lease has not expired."""
    left = job.unfinished_parts(store)
    killed = Job(site, config=store.config, prepare=job.to_be_interrupted)

    def kill():
        assert killed.kill(), "it was done before it was killed"

    try:
        job.until_recorded(killed, store, max(trees, job.recorded(store) + 1), then=kill)
    finally:
        killed.end()
    held = job.unfinished_parts(store)
    for part, owner in list(left.items())[:1]:
        assert held.get(part) != owner, (part, owner)


def prewarmed_with_kills(site, store, shares):
    """Kills the job after each share, as long as a fast one has left anything: it records thousands at once."""
    before = kills = 0
    for release in (FIRST, NEXT):
        site.switch_to(release)
        more = trees_of(release) - before
        for share in shares:
            if job.recorded(store) == trees_of(release):
                break
            kill_at(site, store, before + int(share * more))
            kills += 1
        assert Job(site, config=store.config).expect_done()["failed"] == 0
        assert job.unfinished_parts(store) == {}
        before = trees_of(release)
    job.expect_same(store, NEXT)
    assert kills >= len(shares), kills


@check("The release job, killed at up to ten moments and restarted, continues and gives the same store as one run")
def _(site):
    job.put_builds(site)
    prewarmed_with_kills(site, SqliteStore(site), FIVE)


def with_ctrl_c():
    """Shells let what they start in the background ignore Ctrl-C, and the checks may run there."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def interrupted(site, is_under_way, *arguments):
    """Sends Ctrl-C to a command once is_under_way(); returns its exit status."""
    command = subprocess.Popen([str(PROGRAM), *arguments], cwd=site.folder, stdin=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, preexec_fn=with_ctrl_c)
    try:
        eventually(is_under_way, f"{arguments[0]} is under way")
        command.send_signal(signal.SIGINT)
        return command.wait(60)
    finally:
        command.kill()
        command.wait()


@check("Ctrl-C ends a command at once while it makes an index or waits for a server, and leaves nothing")
def _(site):
    site.expect(0, "init")
    # An object of a terabyte of zeros, which takes no space and minutes to read.
    build = site.add_build("WS189", "2008-05-01", b"\n\n // Class Gene \n\nGene : \"a\"\n")
    os.truncate(build / "WS189.ace", 1 << 40)
    index = site.folder / "var" / "index"
    lock = index / "WS189.lock"
    assert interrupted(site, lock.exists, "prewarm", "--all", "--build", build) == -signal.SIGINT
    assert not any(file.name.startswith("WS189.index") for file in index.iterdir())
    with socket.create_server(("127.0.0.1", 0)) as silent:
        ask_database(site, "server", source__host="127.0.0.1", source__port=silent.getsockname()[1],
                     source__timeout=600)
        silent.settimeout(60)
        assert interrupted(site, silent.accept, "prewarm", "--all") == -signal.SIGINT


# A file size limit acts like a full disk: every write beyond it fails, in the same calls and
# at the same places.
def with_files_of(most):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))


@check("A full disk ends the release job with status 1 and a reason, and the next run continues")
def _(site):
    job.put_builds(site)
    no_index = Job(site, prepare=with_files_of(100 << 10))
    assert no_index.wait() == 1, no_index.told()
    assert f"index/{FIRST}.index: writing a file: File too large" in no_index.told(), no_index.told()
    site.expect(0, "check")  # makes the index
    store = SqliteStore(site)
    full = Job(site, prepare=with_files_of(3 << 20))
    assert full.wait() == 1, full.told()
    assert GO_ON in full.told() and "disk I/O error: File too large" in full.told(), full.told()
    assert 0 < job.recorded(store) < trees_of(FIRST), job.recorded(store)
    Job(site).expect_done()
    job.expect_same(store, FIRST)


@check("A lost database ends the release job with status 1 and a reason, and the next run continues")
def _(site):
    job.put_builds(site)
    server = job.mariadb()
    store = MariaDbStore(site, server, store__give_up=1)
    lost = Job(site, config=store.config, prepare=job.to_be_interrupted)
    try:
        job.until_recorded(lost, store, OBJECTS // 4, then=server.kill)
        status = lost.wait()
    finally:
        lost.end()
        server.start()
    assert status == 1 and GO_ON in lost.told() and "store" in lost.told(), (status, lost.told())
    site.write_config(store.config, store__url=server.url(store.database))  # which waits for longer
    back = Job(site, config=store.config, prepare=job.to_be_interrupted)
    try:
        job.until_recorded(back, store, OBJECTS // 2, then=server.kill)
        server.start()
        assert back.expect_done()["failed"] == 0, "a job waits for a database that restarts"
    finally:
        back.end()
    Job(site, config=store.config).expect_done()
    job.expect_same(store, FIRST)


@check("The command of [notify] is told once of each release that is recorded, and may fail")
def _(site):
    told = site.folder / "told"
    site.write_config(notify__command=f"cat >> {told}; echo >> {told}; exit 3")
    site.switch_to("WS187")
    site.expect(0, "init")
    site.expect(0, "prewarm", "--class", "Gene")
    assert not told.exists(), "a class is no release"
    done = site.expect(0, "prewarm", "--all", "--json")
    assert json.loads(done.stdout)["finished"], done.stdout
    assert b"WS187 is recorded, but [notify] command failed: it exited with status 3" in done.stderr, done.stderr
    site.expect(0, "prewarm", "--all")
    site.expect(0, "prewarm", "--all", "--build", str(site.builds / "WS188"))
    first, second = (json.loads(line) for line in told.read_text().splitlines())
    assert (first["release"], second["release"]) == ("WS187", "WS188"), (first, second)
    assert second["released_on"] == "2008-03-22" and second["changed"] > 0, second
    assert second["url"] == f"http://127.0.0.1:{site.port}/release/WS188", second
    assert f"{second['changed']} changed" in second["text"] and second["url"] in second["text"], second
