"""Sites over tace on pipes (tace-stand-in): the same feeds, killed children, nothing left over.

SPDX-License-Identifier: MIT
"""
import contextlib
import os
import pathlib
import signal

from ace_peers import OBJECTS, TaceFolder, answers_of, ask_tace, expect_same_feeds, feeds_of
from ace_sites import GENE, PATH, SAME_SITE, feeds_over_dumps
from checks import check
from load import Load
from site_of_varve import HERE, eventually, rss_path


def children_of(process):
    """Returns the state letter by process id: Z is a zombie."""
    children = {}
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            if int(fields[1]) == process.pid:
                children[int(folder.name)] = fields[0]
    return children


def pipes_of(process):
    """Returns how many descriptors of the process are pipes."""
    links = []
    for link in pathlib.Path(f"/proc/{process.pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            links.append(os.readlink(link))
    return sum(link.startswith("pipe:") for link in links)


def kill_children(process):
    for child in children_of(process):
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)


@check("A site over tace answers like one over the dumps of the same builds in each release")
def _(site):
    expected = feeds_over_dumps()
    database = TaceFolder(site.folder / "acedb", "WS186")
    site.expect(0, "init")
    ask_tace(site, database, **SAME_SITE)
    for build in ("WS186", "WS187", "WS188"):
        database.hold(build)
        expect_same_feeds(feeds_of(site), expected[build])


@check("A site follows a tace database that is saved again")
def _(site):
    database = TaceFolder(site.folder / "acedb", "WS187")
    site.expect(0, "init")
    ask_tace(site, database)
    site.start()
    assert b"WS188" not in site.feed(*GENE).body
    database.hold("WS188")
    eventually(lambda: b"WS188" in site.get(PATH).body, "the next release is served")


@check("Killing tace children under 16 clients leaves no zombie or descriptor and no wrong answer")
def _(site):
    database = TaceFolder(site.folder / "acedb")
    site.expect(0, "init")
    ask_tace(site, database, source__connections=4)
    site.start()
    paths = [rss_path(*key) for key in OBJECTS]
    right = answers_of(site, paths)
    with Load(site, paths, clients=16) as load:
        for _turn in range(10):
            eventually(load.each_has(2), "answers")
            kill_children(site.varve)
    assert not load.broken, load.broken
    for replies in load.replies:
        wrong = [reply for reply in replies if reply[0] != 503 and reply not in right.values()]
        assert not wrong, wrong[0]
    for path in paths:
        eventually(lambda asked=path: site.get(asked).status == right[asked][0], f"{path} as before")
    eventually(lambda: "Z" not in children_of(site.varve).values(), "no zombie")
    children = children_of(site.varve)
    assert len(children) <= 4, children
    assert pipes_of(site.varve) <= 3 * len(children) + 4, (pipes_of(site.varve), children)
    site.stop_varve()
    eventually(lambda: not any(pathlib.Path(f"/proc/{child}").exists() for child in children),
               "the children end with the server")


@check("A child that dies at each fifth command causes no errors for readers")
def _(site):
    database = TaceFolder(site.folder / "acedb")
    mortal = site.folder / "mortal-tace"
    mortal.write_text(f"#!/bin/sh\nTACE_DIE_AFTER=5 exec {HERE / 'tace-stand-in'} \"$@\"\n")
    mortal.chmod(0o755)
    site.expect(0, "init")
    ask_tace(site, database, **SAME_SITE)
    expected = feeds_of(site)
    ask_tace(site, database, program=mortal, **SAME_SITE)
    expect_same_feeds(feeds_of(site), expected)


@check("varve check explains why tace does not run: no program, no database, no answer")
def _(site):
    database = TaceFolder(site.folder / "acedb")
    site.expect(0, "init")
    for program, environment, words in (
            ("/nonexistent/tace", {}, b"/nonexistent/tace"),
            (None, {"TACE_NO_DATABASE": "1"}, b"no database at"),
            (None, {"TACE_NO_PROMPT": "1"}, b"no prompt"),
            (None, {"TACE_COMPLAIN": "100000"}, None)):
        ask_tace(site, database, program=program, source__timeout=1)
        done = site.run("check", env={**os.environ, **environment})
        said = done.stdout + done.stderr
        if words is None:
            assert done.returncode == 0, said
        else:
            assert done.returncode != 0 and words in said, said
