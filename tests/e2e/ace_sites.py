"""Sites over an AceDB server that is restarted, killed, or silent.

SPDX-License-Identifier: MIT
"""
import contextlib
import pathlib

from ace_peers import OBJECTS, PASSWORD, AceServer, ask_server
from checks import check
from load import Load
from reload import READ, reload_until
from site_of_varve import eventually, rss_path

GENE = ("Gene", "WBGene00006763")
PATH = rss_path(*GENE)


@contextlib.contextmanager
def server_of(site, **settings):
    """Yields a server that the site asks; its store is made."""
    with AceServer() as server:
        site.expect(0, "init")
        ask_server(site, server, **settings)
        yield server


def start_with_feed(site):
    """Starts the site and returns its answer about GENE."""
    site.start()
    known = site.get(PATH)
    assert known.status == 200, known
    return known


def all_text_of(site):
    """Returns everything the site wrote, except the file that holds the password."""
    files = [file for file in site.folder.rglob("*") if file.is_file() and "password-" not in file.name]
    return b"".join(file.read_bytes() for file in files)


@check("varve check reports a wrong password, and no output contains the password")
def _(site):
    with server_of(site) as server:
        fine = site.expect(0, "check")
        assert b"WS188" in fine.stdout, fine.stdout
        wrong = "no such Sesame"
        ask_server(site, server, password=wrong)
        done = site.run("check")
        said = done.stdout + done.stderr
        assert done.returncode != 0 and b"userid/password incorrect" in said, said
        feed = site.run("feed", "--", *GENE)
        assert feed.returncode != 0, feed
        for secret in (wrong, PASSWORD):
            assert secret.encode() not in said + feed.stdout + feed.stderr + fine.stdout + fine.stderr
            assert secret.encode() not in all_text_of(site)


@check("A site reports that its server is dead, and serves what is recorded")
def _(site):
    with server_of(site) as server:
        known = start_with_feed(site)
        server.kill()
        eventually(lambda: site.get("/healthz").status == 503, "the dead server is reported")
        assert b"source_fault" in site.get("/healthz").body
        assert b"varve_source_up 0" in site.get("/metrics").body
        assert site.get("/healthz?for=readers").status == 200
        assert site.get(PATH).body == known.body
        server.start()
        eventually(lambda: site.get("/healthz").status == 200, "the server is used again")


@check("While its server hangs, a site answers other requests before those that wait, and these with 503 in the end")
def _(site):
    with server_of(site) as server:
        known = start_with_feed(site)
        others = [rss_path(*key) for key in OBJECTS[1:9]]
        server.hang()
        with Load(site, others, clients=8) as load:
            eventually(lambda: _unread(server.port) > 1, "a request that waits for the server")
            for _ in range(5):
                reply = site.get(PATH)
                assert reply.status == 200 and reply.body == known.body, reply
                assert site.get("/healthz?for=readers").status == 200
                assert site.get("/metrics").status == 200
            assert not load.broken and load.count() == 0, (load.broken, load.replies)
            server.go_on()
            eventually(lambda: load.broken or load.count() >= 8, "they are answered once it goes on")
        assert not load.broken, load.broken
        assert {status for replies in load.replies for status, _ in replies} == {200}, load.replies
        ask_server(site, server, source__timeout=1)
        reload_until(site, READ)
        server.hang()
        reply = site.get(rss_path(*OBJECTS[9]))
        assert reply.status == 503, reply
        server.go_on()
        eventually(lambda: site.get(rss_path(*OBJECTS[9])).status == 200, "a feed once it goes on")


def _unread(port):
    """The number of connections to this port on which bytes wait to be read."""
    established = "01"
    sockets = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(state == established and int(local.split(":")[1], 16) == port
               and not queues.endswith(":00000000") for _, local, _, state, queues, *_ in sockets)


@check("SIGTERM stops a site although the server that its requests wait for hangs")
def _(site):
    with AceServer() as server:
        site.expect(0, "init")
        ask_server(site, server, serve__stop_within=1)
        site.start()
        assert site.get(PATH).status == 200
        server.hang()
        with Load(site, [rss_path(*key) for key in OBJECTS[1:5]], clients=4) as load:
            # One of them may be the look for another build.
            eventually(lambda: _unread(server.port) > 1, "a request that waits for the server")
            assert site.stop_varve() == 0
        assert {status for replies in load.replies for status, _ in replies} <= {502, 503}, load.replies
        assert b"stopped before all requests were answered" in all_text_of(site)


@check("A job over a server waits through its restart, and ends if it stays away")
def _(site):
    with server_of(site) as server:
        server.kill()
        job = site.begin("prewarm", "--all")
        eventually(lambda: b"waiting for the database" in (site.folder / "job.log").read_bytes(), "the job waits")
        server.start()
        assert job.wait(60) == 0, (site.folder / "job.log").read_text()
        server.kill()
        ask_server(site, server, source__timeout=1)
        for words in (("--all",), ("--all", "--dry-run"), ("--replace", "WS188")):
            done = site.expect(1, "prewarm", *words)
            assert b"waited 1 s" in done.stderr, done
