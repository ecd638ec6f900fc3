"""Sites over an AceDB server that is restarted, killed, silent, or replaced by another.

SPDX-License-Identifier: MIT
"""
import contextlib
import functools
import http.client
import json
import pathlib
import shutil
import sqlite3

from ace_peers import (OBJECTS, PASSWORD, AceServer, answers_of, ask_server, dump_of, expect_same_feeds, feeds_of, write_dates)
from checks import check
from load import Load
from reload import READ, reload_until
from site_of_varve import Site, eventually, rss_path

GENE = ("Gene", "WBGene00006763")
PATH = rss_path(*GENE)
# Nothing has a label: those of the objects that a change names come from the build, but with a running
# database from what the store happens to know.
SAME_SITE = {"site__base_url": "http://127.0.0.1:8080",
             **{f"names__{each}": "No_label" for each in ("Gene", "GO_term", "Person", "Phenotype")}}


@contextlib.contextmanager
def another_site():
    site = Site()
    try:
        yield site
    finally:
        site.close()


@contextlib.contextmanager
def server_of(site, build, **settings):
    """Yields a server over the build that the site asks; its store is made."""
    with AceServer(build) as server:
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


@functools.cache
def feeds_over_dumps():
    """Returns, by release, the answers of a site over the dumps that was visited in each of them."""
    with another_site() as site:
        site.expect(0, "init")
        write_dates(site)
        feeds = {}
        for build in ("WS186", "WS187", "WS188"):
            site.switch_to(build)
            site.write_config(**SAME_SITE)
            feeds[build] = feeds_of(site)
        return feeds


@check("A site over a server answers like one over the dumps of the same builds in each release")
def _(site):
    expected = feeds_over_dumps()
    with server_of(site, "WS186", **SAME_SITE) as server:
        for build in ("WS186", "WS187", "WS188"):
            server.restart(build)
            expect_same_feeds(feeds_of(site), expected[build])
    assert sum(status == 0 for status, _ in expected["WS188"].values()) > 15, expected["WS188"]
    assert PASSWORD.encode() not in all_text_of(site)


def releases_named(body):
    return {release for release in (b"WS186", b"WS187", b"WS188") if release in body}


@check("A site follows a server from release to release and keeps answering from its history")
def _(site):
    paths = [rss_path(*key) for key in OBJECTS[:8]]
    with server_of(site, "WS186", **SAME_SITE) as server:
        feeds = {"WS186": feeds_of(site)}
        site.start()
        allowed = {rss_path(*key): {body for status, body in [feeds["WS186"][key]] if status == 0}
                   for key in OBJECTS[:8]}
        with Load(site, paths, clients=8) as load:
            eventually(load.each_has(8), "answers of WS186")
            for build in ("WS187", "WS188"):
                server.restart(build)
                eventually(lambda now=build: load.broken or now.encode() in site.get(PATH).body,
                           f"{build} is served")
                eventually(load.each_has(8), f"answers of {build}")
        feeds["WS188"] = feeds_of(site)
        now = {path: site.get(path).body for path in paths}
    assert not load.broken, load.broken
    for replies in load.replies:
        assert {status for status, _ in replies} <= {200, 404, 503}, {status for status, _ in replies}
        for status, body in replies:
            assert status != 200 or b"<item" in body or body in now.values() \
                or any(body in each for each in allowed.values()), body[:500]
        last = {}
        for (status, body), path in zip(replies, _paths_asked(paths, load, replies)):
            if status != 200:
                continue
            shown = releases_named(body)
            assert last.get(path, set()) <= shown, (path, last[path], shown)
            last[path] = shown
    for key in OBJECTS[:8]:
        status, body = feeds["WS188"][key]
        reply = now[rss_path(*key)]
        assert status != 0 or reply == body, (key, reply, body)


def _paths_asked(paths, load, replies):
    """Yields the path of each answer: each client begins at another one (load.py)."""
    number = next(i for i, each in enumerate(load.replies) if each is replies)
    start = len(paths) * number // len(load.replies)
    while True:
        yield from paths[start:] + paths[:start]


@check("A server that is killed and restarted under 32 clients causes no wrong answer")
def _(site):
    with server_of(site, "WS188") as server:
        site.start()
        paths = [rss_path(*key) for key in OBJECTS]
        right = answers_of(site, paths)
        with Load(site, paths, clients=32) as load:
            for _turn in range(3):
                eventually(load.each_has(4), "answers")
                server.kill()
                eventually(load.each_has(2), "answers without the server")
                server.start("WS188")
            eventually(load.each_has(4), "answers")
        assert not load.broken, load.broken
        expected = set(right.values())
        for replies in load.replies:
            wrong = [reply for reply in replies if reply[0] != 503 and reply not in expected]
            assert not wrong, wrong[0]
        for path in paths:
            eventually(lambda asked=path: (reply := site.get(asked)).status == right[asked][0]
                       and reply.body == right[asked][1], f"{path} as before")


@check("A site whose server is down at the start answers 503 with Retry-After, later feeds")
def _(site):
    with AceServer("WS188") as server:
        server.kill()
        ask_server(site, server)
        site.expect(0, "init")
        site.start_varve()
        eventually(lambda: _asks_to_retry(site), "503 with Retry-After")
        server.start("WS188")
        eventually(lambda: site.get(PATH).status == 200, "the feed")
        assert b"unc-26" in site.get(PATH).body


def _asks_to_retry(site):
    """Until `varve serve` listens, Apache itself answers 503, without Retry-After."""
    try:
        reply = site.get(PATH)
    except (OSError, http.client.HTTPException):
        return False
    return reply.status == 503 and int(reply.fields.get("retry-after", 0)) > 0


@check("varve check reports a wrong password, and no output contains the password")
def _(site):
    with server_of(site, "WS188") as server:
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
    with server_of(site, "WS188") as server:
        known = start_with_feed(site)
        server.kill()
        eventually(lambda: site.get("/healthz").status == 503, "the dead server is reported")
        assert b"source_fault" in site.get("/healthz").body
        assert b"varve_source_up 0" in site.get("/metrics").body
        assert site.get("/healthz?for=readers").status == 200
        assert site.get(PATH).body == known.body
        server.start("WS188")
        eventually(lambda: site.get("/healthz").status == 200, "the server is used again")


@check("While its server hangs, a site answers other requests before those that wait, and these with 503 in the end")
def _(site):
    with server_of(site, "WS188") as server:
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
    with AceServer("WS188") as server:
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


@check("A release prewarmed from a server can be followed by one prewarmed from a dump")
def _(site):
    site.expect(0, "init")
    with another_site() as plain:
        plain.expect(0, "init")
        write_dates(plain)
        for build in ("WS187", "WS188"):
            plain.switch_to(build)
            plain.write_config(**SAME_SITE)
            plain.expect(0, "prewarm", "--all")
        expected = feeds_of(plain)
    with AceServer("WS187") as server:
        ask_server(site, server, **SAME_SITE)
        site.expect(0, "prewarm", "--all")
    site.switch_to("WS188")
    site.write_config(**SAME_SITE)
    site.expect(0, "prewarm", "--all")
    expect_same_feeds(feeds_of(site), expected)


# As in a database whose options.wrm marks class Word -XREF. Class Jade is AceDB's own, and dumped.
WORDS = b"\n\n // Class Word \n\nWord : \"muscle\"\n\nWord : \"neuron\"\n\n"
UNDUMPED = WORDS + b"\n\n // Class Jade \n\nJade : \"table\"\n\n"


def database_with_undumped(site, build):
    """Returns the file of a database with a class that `dump` does not write."""
    file = site.folder / f"acedb-{build}.ace"
    file.write_bytes(dump_of(build).read_bytes().replace(b"\n // End of this dump file",
                                                         UNDUMPED + b" // End of this dump file"))
    return file


def kinds_of(site, *classes):
    store = sqlite3.connect(site.folder / "var" / "history.db")
    with contextlib.closing(store):
        return dict(store.execute("SELECT kind, COUNT(*) FROM history JOIN objects USING (oid) WHERE objects.class IN "
                                  f"({', '.join('?' * len(classes))}) GROUP BY kind", classes))


@check("A class that AceDB does not dump neither appears nor vanishes between dump and server")
def _(site):
    site.expect(0, "init")
    dumped = database_with_undumped(site, "WS187").read_bytes().replace(WORDS, b"")
    shutil.rmtree(site.builds / "WS187")
    site.add_build("WS187", "2008-02-15", dumped)
    site.switch_to("WS187")
    site.write_config()
    site.expect(0, "prewarm", "--all")
    with AceServer("WS188") as server:
        server.restart("WS188", dump=database_with_undumped(site, "WS188"))
        ask_server(site, server)
        said = site.expect(1, "check").stdout
        assert b"WS188 comes from a running AceDB, WS187 came from AceDB's dumps" in said, said
        assert b"class Word has 2 objects and had none in WS187" in said and b"Jade" not in said, said
        assert b"skip_classes" in said, said
        site.expect(1, "prewarm", "--all")
        ask_server(site, server, source__skip_classes="word")
        site.expect(0, "check")
        site.expect(0, "prewarm", "--all")
    assert not kinds_of(site, "Word", "Jade", "Keyword"), kinds_of(site, "Word", "Jade", "Keyword")


@check("varve show distinguishes an unknown class of a server from an unknown object")
def _(site):
    with server_of(site, "WS188") as server:
        shown = site.expect(0, "show", "--", *GENE).stdout
        assert b"unc-26" in shown, shown
        no_class = site.run("show", "--", "Nosuch", "WBGene00006763")
        no_object = site.run("show", "--", "Gene", "nosuch")
        for done in (no_class, no_object):
            assert done.returncode != 0 and not done.stdout, done
        assert b"class" in no_class.stderr and no_class.stderr != no_object.stderr, no_class.stderr
        assert b"nosuch" in no_object.stderr, no_object.stderr


@check("A server never reads a name as a wildcard or a command")
def _(site):
    with server_of(site, "WS188") as server:
        site.start()
        for name in ("*", "WBGene0000676?", "WBGene*", 'x" ; shutdown', "50%", "a//b", "a\\", "a\nb", "\xe9"):
            reply = site.get(rss_path("Gene", name))
            assert reply.status == 404, (name, reply)
        assert site.get(PATH).status == 200


@check("A release of unknown date is reported with what to do, and is not served")
def _(site):
    with AceServer("WS188") as server:
        server.restart("WS188", name="WS999")
        site.expect(0, "init")
        ask_server(site, server)
        done = site.run("check")
        assert done.returncode != 0 and b"WS999" in done.stdout + done.stderr, done
        assert b"releases.tsv" in done.stdout + done.stderr, done
        write_dates(site)
        with (site.folder / "releases.tsv").open("a") as dates:
            dates.write("WS999\t2009-01-01\n")
        site.expect(0, "check")


@check("A server under a new Name is served once releases.tsv has its date, not with the date of the release before")
def _(site):
    with server_of(site, "WS188", source__date="2008-03-22") as server:
        (site.folder / "releases.tsv").unlink()
        site.start()
        assert b"WS188" in site.feed(*GENE).body
        server.restart("WS188", name="WS189", dump=dump_of("WS187"))
        refused = b"WS189 is dated 2008-03-22 by the configuration, which is the date of WS188"
        eventually(lambda: refused in (site.folder / "varve.log").read_bytes(), "WS189 is refused")
        assert b"WS189" not in site.get(PATH).body
        (site.folder / "releases.tsv").write_text("WS189\t2008-04-18\n")
        eventually(lambda: b"WS189" in site.get(PATH).body, "WS189 is served without SIGHUP")
        assert b"2008-04-18" in site.expect(0, "releases").stdout


@check("A server with other content under the same version is distinguished from a restart")
def _(site):
    with server_of(site, "WS187") as server:
        site.start()
        before = site.feed(*GENE).body
        server.restart("WS187")
        eventually(lambda: site.feed(*OBJECTS[5]).status == 200, "an object is loaded after a restart")
        assert site.get(PATH).body == before
        server.kill()
        server.start("WS188", name="WS187", dump=dump_of("WS188"), last_save="2008-03-16_00:00:00")
        eventually(lambda: b"recorded with different content" in site.get("/healthz").body, "the other content is refused")
        assert site.feed(*GENE).body == before


@check("A job over a server waits through its restart, and then says how to go on")
def _(site):
    with server_of(site, "WS188") as server:
        server.kill()
        job = site.begin("prewarm", "--all")
        eventually(lambda: b"waiting for the database" in (site.folder / "job.log").read_bytes(), "the job waits")
        server.start("WS188")
        assert job.wait(60) == 0, (site.folder / "job.log").read_text()
        server.kill()
        ask_server(site, server, source__timeout=1)
        for words in (("--all",), ("--all", "--dry-run"), ("--replace", "WS188")):
            done = site.expect(1, "prewarm", *words)
            assert b"waited 1 s" in done.stderr and b"Run the same command" in done.stderr, done


@check("varve releases and forget know the current release of a server; a dry run says what it cannot know")
def _(site):
    def listed():
        return [(one["version"], one["current"], one["compared"] > 0) for one in
                json.loads(site.expect(0, "releases", "--json").stdout)["releases"]]

    with server_of(site, "WS187") as server:
        site.expect(0, "prewarm", "--all")
        server.restart("WS188")
        preview = json.loads(site.expect(0, "prewarm", "--all", "--dry-run", "--json").stdout)
        assert preview["against"] == "WS187" and preview["all"]["differ"] == 0, preview["all"]
        assert preview["all"]["unknown"] > 100 and preview["all"]["new"] > 0, preview["all"]
        assert b"only by loading them" in site.expect(0, "prewarm", "--all", "--dry-run").stdout
        site.expect(0, "prewarm", "--all")
        assert listed()[-1] == ("WS188", True, True), listed()
        done = site.expect(0, "forget", "--yes", "release", "WS188")
        assert b"This is the current release" in done.stderr, done
        assert ("WS188", True, True) not in listed(), listed()
        assert b"WS188" in site.expect(0, "feed", "--", *GENE).stdout
        server.kill()
        assert listed()[-1][:2] == ("WS188", False), listed()
        done = site.expect(0, "forget", "--yes", "release", "WS188")
        assert b"is forgotten" in done.stdout, done
