"""A release that is published again by jobs on two nodes, beside writers of its old build on the third.

SPDX-License-Identifier: MIT
"""
import contextlib
import pathlib
import shutil
import signal
import subprocess
import threading

import tables
from checks import check
from cluster import end_with_parent
from site_of_varve import eventually
from warming import job_on
from web import Web
from world import objects_of, paths_of

BEFORE, RELEASE, AGAIN = "WS187", "WS188", "WS188-again"  # the last is a folder, of another build of WS188
# Asked for while the old build is current: one differs in both builds, and one in the second only.
SLOW = [("Gene", "WBGene00006763"), ("Paper", "WBPaper00028386")]
CHANGES = {b'Other_name -O "2008-02-01_09:15:20_sylvia" "synj-1"': b'Other_name -O "2008-02-01_09:15:20_sylvia" "synj-2"',
           b'Volume -O "2005-03-09_16:30:50_lstein" "402"': b'Volume -O "2005-03-09_16:30:50_lstein" "403"',
           b'"Medium Unc. Scrawny.': b'"Strong Unc. Scrawny.', b'"nucleus"': b'"the nucleus"'}


def make_build_again(site):
    folder = site.builds / AGAIN
    shutil.copytree(site.builds / RELEASE, folder)
    (file,) = folder.glob("*.ace")
    dump = file.read_bytes()
    for old, new in CHANGES.items():
        assert dump.count(old) >= 1, old
        dump = dump.replace(old, new)
    file.write_bytes(dump)


def ask(web, paths):
    for path in paths:
        assert web.get(path).status in (200, 404), path


def recorded_first(site, web, paths):
    """Records what readers asked for in the release before, and in the first build of the release."""
    ask(web, paths + paths_of(SLOW))
    site.switch_to(RELEASE)
    web.wait_for(RELEASE)
    ask(web, paths)


def published_again_alone(site, paths):
    """Returns the tables after one job on one machine, and requests to its build."""
    store = f"sqlite:{site.folder / 'var' / 'again.db'}"
    site.write_config("init.conf", store__url=store)
    site.expect(0, "init", config="init.conf")
    site.switch_to(BEFORE)
    web = Web(site, "calm", store)
    try:
        web.wait_for(BEFORE)
        recorded_first(site, web, paths)
    finally:
        web.close()
    site.switch_to(AGAIN)
    job_on(site, "calm_job", store, "--replace", RELEASE).expect_done()
    web = Web(site, "calm", store)
    try:
        web.wait_for(RELEASE)
        ask(web, paths + paths_of(SLOW))
    finally:
        web.close()
    return tables.in_sqlite(site.folder / "var" / "again.db")


class Holding:
    """with Holding(node, sql, database): rows stay locked, and no other node's write removes the lock."""

    def __init__(self, node, sql, database):
        self.process = subprocess.Popen(
            ["mariadb", "--no-defaults", f"--socket={node.socket}", "--user=root", "-N", "-B", "-n", database],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=end_with_parent)
        self.process.stdin.write(f"SET SESSION wsrep_on = OFF; BEGIN; {sql}; SELECT 'held';\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "held\n"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.write("ROLLBACK;\n")
        self.process.stdin.close()
        self.process.wait(120)
        self.process.stdout.close()


@contextlib.contextmanager
def behind_the_others(cluster, node):
    """The node gets what the others write, and does not carry it out before this ends."""
    node.tell("SET GLOBAL wsrep_provider_options = 'gcs.fc_limit=10000'")  # else the others wait for it
    other = next(each for each in cluster.nodes if each is not node)
    other.tell("CREATE DATABASE behind; CREATE TABLE behind.one (id INT PRIMARY KEY, n INT);"
               "INSERT INTO behind.one VALUES (1, 0)")
    eventually(lambda: node.ask("SELECT n FROM behind.one") == "0\n", "the node has the row")
    try:
        with Holding(node, "UPDATE one SET n = 2 WHERE id = 1", "behind"):
            other.tell("UPDATE behind.one SET n = 1 WHERE id = 1")
            eventually(lambda: node.status("Innodb_row_lock_current_waits") == "1", "the node is behind")
            yield
    finally:
        node.tell("SET GLOBAL wsrep_provider_options = 'gcs.fc_limit=16'")


def writers(node, *statements):
    """Returns how many connections of varve are at one of these statements."""
    one_of = " OR ".join(f"info LIKE '{statement}'" for statement in statements)
    return int(node.tell(f"SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'varve' AND ({one_of})"))


def is_stopped(process):
    states = [file.read_text().rpartition(") ")[2][0] for file in pathlib.Path(f"/proc/{process.pid}/task").glob("*/stat")]
    return set(states) == {"T"}


def stop_amid_transactions(node, database, web, answers):
    """Requests the SLOW objects, and stops their process when it has begun to write."""
    threads = [threading.Thread(target=lambda path=path: answers.append(web.get(path))) for path in paths_of(SLOW)]
    names = ", ".join(f"'{name}'" for _, name in SLOW)
    with Holding(node, f"UPDATE objects SET hits = hits + 1 WHERE name IN ({names})", database):
        for thread in threads:
            thread.start()
        eventually(lambda: writers(node, "UPDATE objects%") == len(SLOW), "the writers wait")
        web.process.send_signal(signal.SIGSTOP)
        eventually(lambda: is_stopped(web.process), "all its threads have stopped")


def go_on(node, web):
    """Returns when the writers have sent their commits, or wait for each other at a row of their slot in meta."""
    web.process.send_signal(signal.SIGCONT)
    at_the_end = "COMMIT", "UPDATE meta%", "INSERT INTO meta%"  # the first of a slot inserts its row
    eventually(lambda: writers(node, *at_the_end) == len(SLOW), "the writers commit")


@check("Two jobs that publish a release again on two nodes, and slow writers of the old build, are as one job alone",
       nightly=True)
def _(world):
    site = world.site
    make_build_again(site)
    paths = paths_of([each for each in objects_of(site, 20) if each not in SLOW])
    wanted = published_again_alone(site, paths)
    database = world.new_database()
    site.switch_to(BEFORE)
    web = world.serve(database, 1, 2, 3)
    web.wait_for(BEFORE)
    recorded_first(site, web, paths)
    world.end_servers()
    node = world.cluster.nodes[1]
    slow, answers = world.serve(database, 2, path=f"builds/{RELEASE}"), []
    slow.wait_for(RELEASE)
    stop_amid_transactions(node, database, slow, answers)
    with behind_the_others(world.cluster, node):
        site.switch_to(AGAIN)
        jobs = [job_on(site, f"again{number}", world.cluster.url(database, number), "--replace", RELEASE)
                for number in (1, 3)]
        late = [job for job in jobs if job.wait() != 0]
        # One that was late finds nothing to do, or that the other has done it meanwhile.
        assert len(late) < len(jobs), [job.log.read_text() for job in jobs]
        for job in late:
            told = job.log.read_text()
            assert "so there is nothing to replace" in told or "another process has replaced" in told, told
        go_on(node, slow)
    eventually(lambda: len(answers) == len(SLOW), "the slow requests are answered")
    assert {reply.status for reply in answers} <= {200, 503}, answers
    web = world.serve(database, 3)
    web.wait_for(RELEASE)
    ask(web, paths + paths_of(SLOW))
    tables.expect_same(world.cluster, database, wanted)
    for left in ("replacements", "renames"):
        assert node.tell(f"SELECT * FROM {left}", database) == "", left
