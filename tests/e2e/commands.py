"""The commands in a shell: output, messages on stderr, exit status.

SPDX-License-Identifier: MIT
"""
import contextlib
import json
import os
import pty
import sqlite3
import subprocess

from checks import check
from sites import check_served
from site_of_varve import COMMAND_SECONDS, PROGRAM, rss_path

GENE = ("Gene", "WBGene00006763")


@check("Wrong usage ends with a status and a reason on stderr, which suggests what was probably meant")
def _(site):
    site.expect(0, "init")
    releases = ("--from", "WS187", "--to", "WS188")
    for status, words, part in ((2, ("feed",), "class"), (2, ("show", *GENE, "--release"), ""),
                                (2, ("diff", *GENE, "--from", "WS186"),
                                 "varve: --to is required; varve diff --help says more\n"), (1, ("feed", "Gene", "nobody"), ""),
                                (2, ("prewarm",), ""), (2, ("prewarm", "--all", "--class", "Gene"), ""),
                                (2, ("prewarm", "--popular", "0"), ""), (2, ("prewarm", "--all", "--jobs", "0"), ""),
                                (2, ("prewarm", "--list", "nowhere"), "nowhere"),
                                (2, ("forget", "--yes", "planet"), ""),
                                (1, ("forget", "--yes", "object", "Gene", "nobody"), "nobody"),
                                (1, ("forget", "--yes", "class", "gene"), "no object of a class gene is recorded"),
                                (2, ("hub",), "[hub] enabled"),
                                (2, ("forget", "bogus"), "no such command: forget bogus; varve forget --help lists"),
                                (2, ("prewram", "--all"), "no such command: prewram; did you mean prewarm?"),
                                (2, ("token", "ad", "x"), "no such command: token ad; did you mean add?"),
                                (2, ("diff", *GENE, "--form", "WS187", "--to", "WS188"),
                                 "no such option: --form; did you mean --from?"),
                                (2, ("show", *GENE, "--relase=x"), "--relase; did you mean --release?"),
                                (2, ("token", "list", "--xyzzy"), "--xyzzy; varve token list --help lists"),
                                (2, ("diff", "Gen", "x", *releases), "no class Gen in WS188; did you mean Gene?"),
                                (1, ("show", "Gen", "x"), "no class Gen in WS188; did you mean Gene?"),
                                (2, ("get", "history"), "such as '/history?"), (1, ("get", "/nowhere"), "no page"),
                                (2, ("get", "/rss?name=x"), "class"),
                                (1, ("feed", "Gen", "x"), "no class Gen in WS188; did you mean Gene?"),
                                (2, ("prewarm", "--class", "Gen"), "no class Gen in WS188; did you mean Gene?")):
        done = site.expect(status, *words)
        assert part.encode() in done.stderr and not done.stdout, (words, done)
    # What follows -- is a name.
    assert b"Gene --form is not in WS188" in site.expect(1, "show", "--", "Gene", "--form").stderr
    assert b"<rss" in site.expect(0, "feed", "--", "Method", "-D").stdout


@check("A wrong configuration ends with status 2 and names file, section and key")
def _(site):
    site.write_config(site__colour="red")
    for command in (("init",), ("feed", *GENE), ("check",)):
        done = site.expect(2, *command)
        text = (done.stdout + done.stderr).decode()
        assert all(word in text for word in ("varve.conf", "site", "colour")), (command, text)
    missing = site.expect(2, "feed", *GENE, config="nowhere.conf")
    assert b"nowhere.conf: No such file or directory" in missing.stderr, missing


@check("varve check records nothing: a build that is corrected afterwards is not a second one")
def _(site):
    def rows():
        """All but the row that is written to see whether the store can be."""
        lines = site.expect(0, "export").stdout.splitlines()
        return [line for line in lines[:-1] if b'"name":"probe"' not in line]
    site.expect(0, "init")
    before = rows()
    site.expect(0, "check")
    assert rows() == before


@check("Where standard error is full or closed, commands end with the status that they end with elsewhere")
def _(site):
    site.expect(0, "init")
    for arguments, status in ((("frobnicate",), 2), (("show", "Gene", "nobody"), 1), (("export",), 0)):
        command = [str(PROGRAM), *arguments, "--config", "varve.conf"]
        for redirection in ("2>/dev/full", "2>&-"):
            done = subprocess.run(["sh", "-c", f'"$@" {redirection}', "sh", *command], cwd=site.folder,
                                  timeout=COMMAND_SECONDS, stdout=subprocess.DEVNULL, check=False)
            assert done.returncode == status, (arguments, redirection, done.returncode)


@check("A CGI program whose configuration cannot be read answers with status 503")
def _(site):
    variables = {"GATEWAY_INTERFACE": "CGI/1.1", "REQUEST_METHOD": "GET", "SCRIPT_NAME": "/cgi-bin/rss",
                 "QUERY_STRING": "class=Gene&name=x", "VARVE_CONFIG": "nowhere.conf"}
    done = subprocess.run([str(PROGRAM)], cwd=site.folder, env=variables, timeout=COMMAND_SECONDS,
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert done.returncode == 0 and done.stdout.startswith(b"Status: 503 "), done
    assert b"nowhere.conf" in done.stderr, done


@check("A command without a store tells the operator to run varve init")
def _(site):
    done = site.expect(1, "feed", *GENE)
    assert b"varve init" in done.stderr and not done.stdout, done


@check("varve show, diff and feed lead from what people call an object to the object, and list several")
def _(site):
    site.expect(0, "init")
    site.expect(0, "feed", *GENE)
    called = b'There is no Gene "unc-26". Gene WBGene00006763 has that common name.'
    for command in (("show",), ("show", "--release", "WS188"), ("diff", "--from", "WS188", "--to", "WS188")):
        meant = site.expect(0, command[0], *GENE, *command[1:])
        asked = site.expect(0, command[0], "Gene", "unc-26", *command[1:])
        assert asked.stdout == meant.stdout and called in asked.stderr and not meant.stderr, (command, asked)
    asked = site.expect(0, "feed", "Gene", "unc-26")
    assert asked.stdout == site.expect(0, "feed", *GENE).stdout and called in asked.stderr, asked.stderr
    with sqlite3.connect(site.folder / "var" / "history.db") as store:
        store.execute("INSERT INTO objects (class, name, name_key, label, label_key)"
                      " VALUES ('Gene', 'other', 'other', 'unc-26', 'unc26')")
    store.close()
    for status, command in ((1, ("show",)), (2, ("diff", "--from", "WS188", "--to", "WS188"))):
        asked = site.expect(status, command[0], "Gene", "unc-26", *command[1:])
        for line in (b"2 objects have that common name.", b"\n  Gene WBGene00006763\n",
                     b"\n  Gene other (not in the current release)"):
            assert line in asked.stderr, asked.stderr


@check_served("varve feed prints the bytes that the server sends, in each format")
def _(site):
    for form in ("rss", "atom", "json"):
        served = site.get(rss_path(*GENE, format=form))
        assert served.status == 200
        printed = site.expect(0, "feed", *GENE, "--format", form).stdout
        # The command asks for RSS like the short address, so the feed names that address.
        assert printed == (site.get(rss_path(*GENE)) if form == "rss" else served).body, form
    assert site.expect(2, "feed", *GENE, "--format", "pdf").stderr


@check_served("varve get prints what the server answers at any address, and with --headers its status and fields")
def _(site):
    path = "/history?class=Gene&name=WBGene00006763&format=json"
    served = site.get(path)
    assert site.expect(0, "get", path).stdout == site.expect(0, "get", f"http://127.0.0.1:{site.port}{path}").stdout == served.body
    head, _, body = site.expect(0, "get", "--headers", path).stdout.partition(b"\n\n")
    assert head.startswith(b"Status: 200 OK\n") and b"\nContent-Type: application/json\n" in head + b"\n", head
    assert body == served.body
    moved = site.expect(0, "get", "/history?class=Gene&name=unc-26&format=json")
    assert moved.stdout == served.body and b"has that common name" in moved.stderr, moved
    head = site.expect(0, "get", "--headers", "/history?class=Gene&name=unc-26").stdout
    assert head.startswith(b"Status: 302 Found\n") and b"\nLocation: /" in head, head
    refused = site.expect(1, "get", "/history?class=Gene&name=nobody&format=json")
    assert refused.stderr.startswith(b"varve: There is no Gene nobody in the current release"), refused


@check_served("varve feed and get print the feeds and pages of classes, releases and watch lists as the server sends them")
def _(site):
    site.get(rss_path(*GENE))
    two = ("--object", "Person:WBPerson1983", "--object", "Gene:WBGene00006763")
    listed = "object=Gene:WBGene00006763&object=Person:WBPerson1983"
    for options, feed, page in ((("--class", "Gene"), "/rss?class=Gene", "/?class=Gene"),
                                (("--class", "gene"), "/rss?class=Gene", "/?class=gene"),
                                (("--release", "WS188"), "/release/WS188?", "/release/WS188"),
                                (two, f"/rss?{listed}", f"/watch?{listed}")):
        for form in ("rss", "atom", "json", "html"):
            path = page if form == "html" else f"{feed}&format={form}".replace("?&", "?")
            if form == "rss" and "release" not in feed:
                path = feed
            served = site.get(path)
            assert served.status == 200, (path, served)
            words = ("get", path) if form == "html" else ("feed", *options, "--format", form)
            printed = site.expect(0, *words).stdout
            # The counts of releases on the server's home page may be a minute old.
            end = b"<main" if path.startswith("/?") else None
            assert printed.split(end)[0] == served.body.split(end)[0] if end else printed == served.body, path
    assert b"Release ws188 is unknown" in site.expect(1, "feed", "--release", "ws188").stderr
    without = site.get("/release/WS188?mass=no&format=rss").body
    assert site.expect(0, "feed", "--release", "WS188", "--mass", "no").stdout == without
    assert site.expect(2, "feed", "--release", "WS188", "--mass", "yes").stderr


@check("varve show of the current build needs no store and records nothing; of a release it reads the stored tree")
def _(site):
    shown = site.expect(0, "show", *GENE).stdout
    assert b"unc-26" in shown and b"CGC_name" in shown, shown
    assert not (site.folder / "var" / "history.db").exists()
    site.expect(0, "init")
    empty = site.expect(0, "export").stdout
    assert site.expect(0, "show", *GENE).stdout == shown and site.expect(0, "export").stdout == empty
    assert site.expect(0, "show", *GENE, "--release", "WS188").stdout == shown
    for words in (("Gene", "nobody"), (*GENE, "--release", "WS999"), (*GENE, "--release", "WS186")):
        assert site.expect(1, "show", *words).stderr, words


@check("varve diff compares two releases without [ignore] content, and its status is that of diff(1)")
def _(site):
    site.expect(0, "init")
    for build in ("WS187", "WS188"):
        site.visit(build, *GENE)
        site.visit(build, "Person", "WBPerson1983")
    with site.write_config("ignoring.conf").open("a") as config:
        config.write("\n[ignore]\nGene = person_evidence\n")
    releases = ("--from", "WS187", "--to", "WS188")
    changed = json.loads(site.expect(1, "diff", *GENE, *releases, "--format", "json").stdout)
    assert (changed["class"], changed["name"]) == GENE
    assert (changed["from"], changed["to"], changed["kind"]) == ("WS187", "WS188", "changed"), changed
    text = site.expect(1, "diff", *GENE, *releases).stdout
    assert text.count(b"\n") >= len(changed["changes"]) and text[:2] in (b"- ", b"+ "), text
    assert site.expect(1, "diff", *GENE, "--from", "WS188", "--to", "WS187").stdout == text
    assert not site.expect(0, "diff", "Person", "WBPerson1983", *releases).stdout
    site.expect(0, "diff", *GENE, *releases, config="ignoring.conf")
    for words in (("Gene", "nobody", *releases), (*GENE, "--from", "WS187", "--to", "WS999")):
        assert site.expect(2, "diff", *words).stderr, words


@check("An export imported into another store gives the same feed and the same export")
def _(site):
    site.expect(0, "init")
    for build in ("WS186", "WS187", "WS188"):
        feed = site.visit(build, *GENE)
    exported = site.expect(0, "export").stdout
    site.expect(0, "export", "backup.jsonl")
    assert (site.folder / "backup.jsonl").read_bytes() == exported
    site.write_config("copy.conf", store__url="sqlite:var/copy.db")
    site.expect(0, "init", config="copy.conf")
    done = site.expect(0, "import", "backup.jsonl", config="copy.conf")
    assert b"objects: 1," in done.stderr, done
    assert site.expect(0, "export", config="copy.conf").stdout == exported
    assert site.expect(0, "feed", *GENE, config="copy.conf").stdout == feed
    again = site.expect(2, "import", "--again", "backup.jsonl", config="copy.conf")
    assert b"not empty" in again.stderr, again


@check("An export that cannot be written ends with status 1")
def _(site):
    site.expect(0, "init")
    for sink in ("/dev/full", "builds", "nowhere/backup.jsonl"):
        done = site.expect(1, "export", sink)
        assert sink.encode() in done.stderr and not done.stdout, done
    for precious in ("varve.conf", "var/history.db", "var/history.db-turn"):
        before = (site.folder / precious).read_bytes()
        (site.folder / precious).write_bytes(before or b"precious")
        assert b"no export" in site.expect(2, "export", precious).stderr, precious
        (site.folder / precious).write_bytes(before)
    command = f"'{PROGRAM}' export --config varve.conf"
    for script in (f"{command} > /dev/full", f"({command}; echo $? >&2) | true"):
        done = subprocess.run(["sh", "-c", script], cwd=site.folder, timeout=COMMAND_SECONDS,
                              capture_output=True, check=False)
        assert done.returncode == 1 or done.stderr.endswith(b"\n1\n"), done
        assert b"cannot write the export" in done.stderr, done


@check("varve releases lists what is recorded of each release, as a table and as JSON")
def _(site):
    site.expect(0, "init")
    for build in ("WS186", "WS187", "WS188"):
        site.visit(build, *GENE)
    lines = site.expect(0, "releases").stdout.decode().splitlines()
    assert lines[0].split() == ["RELEASE", "DATE", "BUILD", "COMPARED", "RECORDED", "HISTORY"], lines
    newest = lines[-1].split(None, 5)
    assert newest == ["WS188", "2008-03-22", "current", "1", "-", "1 changed"], lines
    listed = json.loads(site.expect(0, "releases", "--json").stdout)["releases"]
    names = [release["version"] for release in listed]
    assert names[-3:] == ["WS186", "WS187", "WS188"], names
    assert listed[-1]["history"] == {"changed": 1} and listed[-1]["compared"] == 1, listed
    assert [release["build"] for release in listed[-2:]] == ["known", "current"], listed


@check("varve check --against proposes lines; pasted, they make of a release the rows that were foretold")
def _(site):
    def book(number, release):
        tree = [("rank", {"int": number + release}), ("title", {"text": f"Book {number if number else release}"})]
        return json.dumps({"class": "Book", "name": f"b{number}",
                           "tree": [{"tag": tag, "children": [value]} for tag, value in tree]}) + "\n"

    for release in (1, 2):
        folder = site.builds / f"r{release}"
        folder.mkdir()
        (folder / "release.ini").write_text(f"version = r{release}\ndate = 2026-0{release}-01\n")
        (folder / "books.jsonl").write_text("".join(book(number, release) for number in range(30)))
    site.switch_to("r2")
    proposed = site.expect(0, "check", "--against", "builds/r1").stdout.decode()
    assert "29 changed nowhere else" in proposed and proposed.endswith("\nBook = rank\n"), proposed
    for lines, changed in (("", 30), (proposed, 1)):
        config = site.write_config()
        config.write_text(config.read_text() + lines)
        for store in (site.folder / "var").glob("history.db*"):
            store.unlink()
        site.expect(0, "init")
        for build in ("r1", "r2"):
            site.switch_to(build)
            done = json.loads(site.expect(0, "prewarm", "--all", "--json").stdout)
        assert done["changed"] == changed, done
    # Pasted or not, it is not proposed again; which build is the older one follows from their dates.
    site.switch_to("r1")
    assert b"30 objects in both" in (told := site.expect(0, "check", "--against", "builds/r2").stdout), told
    assert b"Nothing is proposed" in told, told
    (site.builds / "r2" / "books.jsonl").write_text(book(1, 2) * 2)
    for folder, status, part in (("builds/r1", 2, b"holds the same as the current build"),
                                 ("nowhere", 1, b"nowhere"), ("builds/r2", 1, b"b1 is already at")):
        done = site.expect(status, "check", "--against", folder)
        assert part in done.stderr and not done.stdout, done


@check("Why a build is refused is said once, and how to accept it in words for a shell")
def _(site):
    site.expect(0, "init")
    site.visit("WS188", *GENE)
    dump = site.dump_of("WS188")
    folder = site.add_build("a new one", "2008-05-01", dump[:len(dump) // 2])
    (folder / "release.ini").write_text("version = WS189\ndate = 2008-05-01\n")
    advice = b"run: varve accept WS189 --build '%s'" % str(folder).encode()
    for command in (("prewarm", "--all"), ("prewarm", "--all", "--dry-run"), ("prewarm", "--replace", "WS189")):
        done = site.expect(1, *command, "--build", str(folder))
        assert (done.stdout + done.stderr).count(advice) == 1, done
    site.write_config("new.conf", path="builds/a new one")
    for status, *command in ((1, "check"), (2, "accept", "WS188"), (1, "prewarm", "--all")):
        done = site.expect(status, *command, config="new.conf")
        assert (done.stdout + done.stderr).count(b"the file ends") == (command[0] != "accept"), done


@check("varve forget --yes deletes an object, and the next request records it again")
def _(site):
    site.expect(0, "init")
    for build in ("WS187", "WS188"):
        site.visit(build, *GENE)
    done = site.expect(1, "forget", "release", "WS187", "--yes")
    assert b"WS188 is recorded after WS187" in done.stderr and b"--with-later" in done.stderr, done
    done = site.expect(0, "forget", "release", "WS188", "--yes", "--with-later")
    assert b"current release" in done.stderr and b"1 history row," in done.stdout, done
    assert b"WS188" not in site.visit("WS187", *GENE)
    site.visit("WS188", *GENE)
    assert b"1 object," in site.expect(0, "forget", "--yes", "object", *GENE).stdout
    site.visit("WS188", *GENE)
    assert b"1 object," in site.expect(0, "forget", "class", "Gene", "--yes").stdout


@check("varve forget asks on a terminal, and elsewhere deletes only with --yes")
def _(site):
    site.expect(0, "init")
    site.visit("WS188", *GENE)
    exported = site.expect(0, "export").stdout
    done = site.expect(2, "forget", "object", *GENE)
    assert b"--yes" in done.stderr and b"1 object," in done.stderr and not done.stdout, done
    for answer, status in ((b"no\n", 1), (b"yes\n", 0)):
        assert site.expect(0, "export").stdout == exported
        ours, theirs = pty.openpty()
        try:
            os.write(ours, answer)
            asked = subprocess.run([PROGRAM, "forget", "object", *GENE], cwd=site.folder, stdin=theirs,
                                   capture_output=True, timeout=COMMAND_SECONDS, check=False)
        finally:
            os.close(ours)
            os.close(theirs)
        assert asked.returncode == status and b"Type yes" in asked.stderr, asked
    assert site.expect(0, "releases").stdout != b"" and site.expect(0, "export").stdout != exported


@check("varve check says what helps when another program holds the store, and when the file is none")
def _(site):
    site.write_config(store__give_up=1)
    site.expect(0, "init")
    history = site.folder / "var" / "history.db"
    with contextlib.closing(sqlite3.connect(history, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert b"close the program that uses the file" in site.expect(1, "check").stdout
    history.write_text("not a database")
    assert b"check [store] url" in site.expect(1, "check").stdout
    assert history.read_text() == "not a database"


@check("varve check refuses an address on which varve serve cannot listen")
def _(site):
    site.expect(0, "init")
    for listen in ("unix:varve.conf", "nohost.invalid:9000", "unix:nowhere/varve.sock"):
        site.write_config(serve__listen=listen)
        done = site.expect(1, "check")
        assert b"wrong    listen: " in done.stdout, done
        site.expect(1, "serve")
    assert b"set [serve] trusted_front = yes if" in site.expect(2, "serve", "--http", "0.0.0.0:0").stderr


@check("varve check advises to restore a backup of a damaged store")
def _(site):
    site.expect(0, "init")
    store = site.folder / "var/history.db"
    whole = store.read_bytes()
    store.write_bytes(whole[:4096] + bytes(len(whole) - 4096))
    done = site.expect(1, "check")
    assert b"malformed" in done.stdout and b"restore the last backup" in done.stdout, done
