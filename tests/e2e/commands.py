"""The commands in a shell: output, messages on stderr, exit status.

SPDX-License-Identifier: MIT
"""
import contextlib
import json
import os
import pty
import re
import sqlite3
import subprocess

from checks import check
from sites import check_served
from site_of_varve import COMMAND_SECONDS, PROGRAM, rss_path

GENE = ("Gene", "WBGene00006763")


@check("Every command explains itself with --help")
def _(site):
    overview = site.expect(0, "--help", config=None).stdout
    for command in (b"init", b"serve", b"feed", b"digest", b"diff", b"show", b"check", b"accept", b"export",
                    b"import", b"releases", b"prewarm", b"forget", b"token", b"hub", b"harvest"):
        assert command in overview, overview
        assert site.expect(0, command.decode(), "--help", config=None).stdout


@check("Wrong usage ends with status 2 and a reason on stderr")
def _(site):
    for arguments in (("frobnicate",), ("feed",), ("feed", "Gene"), ("show", "Gene", "x", "--release"),
                      ("diff", "Gene", "x", "--from", "WS186")):
        done = site.expect(2, *arguments, config=None)
        assert done.stderr and not done.stdout, (arguments, done)


@check("A misspelled command, option or class suggests the one that was probably meant")
def _(site):
    site.expect(0, "init")
    folders = ("--from", str(site.builds / "WS187"), "--to", str(site.builds / "WS188"))
    for status, words, part in ((2, ("prewram", "--all"), "no such command: prewram; did you mean prewarm?"),
                                (2, ("token", "ad", "x"), "no such command: token ad; did you mean add?"),
                                (2, ("diff", *GENE, "--form", "WS187", "--to", "WS188"),
                                 "no such option: --form; did you mean --from?"),
                                (2, ("show", *GENE, "--relase=x"), "--relase; did you mean --release?"),
                                (2, ("token", "list", "--xyzzy"), "--xyzzy; varve token list --help lists"),
                                (2, ("diff", "Gen", "x", *folders), "no class Gen in WS188; did you mean Gene?"),
                                (1, ("show", "Gen", "x"), "no class Gen in WS188; did you mean Gene?"),
                                (1, ("feed", "Gen", "x"), "no class Gen in WS188; did you mean Gene?"),
                                (2, ("prewarm", "--class", "Gen"), "no class Gen in WS188; did you mean Gene?")):
        done = site.expect(status, *words)
        assert part.encode() in done.stderr and not done.stdout, (words, done)
    # What follows -- is a name.
    assert b"Gene --form is not in WS188" in site.expect(1, "show", "--", "Gene", "--form").stderr


@check("A wrong configuration ends with status 2 and names file, section and key")
def _(site):
    for changes, words in (({"site__colour": "red"}, ("varve.conf", "site", "colour")),
                           ({"serve__threads": "12abc"}, ("varve.conf", "serve", "threads")),
                           ({"source__max_object_mb": "-1"}, ("varve.conf", "source", "max_object_mb")),
                           ({"site__base_url": "ftp://x"}, ("varve.conf", "site", "base_url"))):
        site.write_config(**changes)
        for command in (("init",), ("feed", *GENE), ("check",)):
            done = site.expect(2, *command)
            text = (done.stdout + done.stderr).decode()
            assert all(word in text for word in words), (changes, command, text)
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


@check("varve check warns of classes and paths that the build does not have")
def _(site):
    site.expect(0, "init")
    with site.write_config("doubtful.conf").open("a") as config:
        config.write("\n[ignore]\nGene = Identity>Nmae, Remark\nGen = Remark\n")
    done = site.expect(0, "check", config="doubtful.conf").stdout.decode()
    assert re.search(r"(?m)^warning  \[ignore\] Gene: no object has Identity>Nmae .*mean Name\?$", done), done
    assert "warning  [ignore] Gen: there is no class Gen in " in done and done.count("[ignore]") == 2, done


@check("varve init can be repeated and keeps what is there")
def _(site):
    site.expect(0, "init")
    before = site.visit("WS187", *GENE)
    site.expect(0, "init")
    assert site.visit("WS187", *GENE) == before


@check("A command without a store tells the operator to run varve init")
def _(site):
    done = site.expect(1, "feed", *GENE)
    assert b"varve init" in done.stderr and not done.stdout, done


@check("varve feed of an unknown object ends with status 1")
def _(site):
    site.expect(0, "init")
    done = site.expect(1, "feed", "Gene", "nobody")
    assert done.stderr and not done.stdout, done


@check("varve feed by what people call an object prints its feed, and says so")
def _(site):
    site.expect(0, "init")
    feed = site.expect(0, "feed", *GENE)
    done = site.expect(0, "feed", "Gene", "unc-26")
    assert done.stdout == feed.stdout
    assert b"Gene WBGene00006763 has that common name." in done.stderr, done.stderr


@check("varve show and varve diff lead from what people call an object to the object, and list several")
def _(site):
    site.expect(0, "init")
    site.expect(0, "feed", *GENE)
    called = b"there is no Gene unc-26; Gene WBGene00006763 has that common name"
    for command in (("show",), ("show", "--release", "WS188"), ("diff", "--from", "WS188", "--to", "WS188")):
        meant = site.expect(0, command[0], *GENE, *command[1:])
        asked = site.expect(0, command[0], "Gene", "unc-26", *command[1:])
        assert asked.stdout == meant.stdout and called in asked.stderr, (command, asked)
        assert not meant.stderr, meant.stderr
    with sqlite3.connect(site.folder / "var" / "history.db") as store:
        store.execute("INSERT INTO objects (class, name, name_key, label, label_key, ace_version)"
                      " VALUES ('Gene', 'other', 'other', 'unc-26', 'unc26', 'WS188')")
    store.close()
    for status, command in ((1, ("show",)), (2, ("diff", "--from", "WS188", "--to", "WS188"))):
        asked = site.expect(status, command[0], "Gene", "unc-26", *command[1:])
        for line in (b"2 objects have that common name:", b"\n  Gene WBGene00006763\n",
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
    page = site.get("/history?class=Gene&name=WBGene00006763")
    assert site.expect(0, "feed", *GENE, "--format", "html").stdout == page.body
    assert site.expect(2, "feed", *GENE, "--format", "pdf").stderr


@check_served("varve feed prints the feeds and pages of classes, releases and watch lists as the server sends them")
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
            printed = site.expect(0, "feed", *options, "--format", form).stdout
            # The counts of releases on the server's home page may be a minute old.
            end = b"<main" if path.startswith("/?") else None
            assert printed.split(end)[0] == served.body.split(end)[0] if end else printed == served.body, path
    for words in ((), ("Gene",), (*GENE, "--class", "Gene"), ("--object", "Gene"), ("--release", "../x")):
        assert site.expect(2, "feed", *words).stderr, words
    assert b"did you mean Gene?" in site.expect(1, "feed", "--class", "Gen").stderr
    assert b"no release WS9999999 is known\n" in site.expect(1, "feed", "--release", "WS9999999").stderr
    assert b"did you mean WS188?" in site.expect(1, "feed", "--release", "ws188").stderr
    without = site.get("/release/WS188?mass=no&format=rss").body
    assert site.expect(0, "feed", "--release", "WS188", "--mass", "no").stdout == without
    assert site.expect(2, "feed", "--release", "WS188", "--mass", "yes").stderr


@check("A name that begins with a dash can follow --")
def _(site):
    site.expect(0, "init")
    assert b"<rss" in site.expect(0, "feed", "--", "Method", "-D").stdout
    assert site.expect(0, "show", "--", "Method", "-D").stdout


@check("varve show prints the tree of an object and needs no store")
def _(site):
    shown = site.expect(0, "show", *GENE).stdout
    assert b"unc-26" in shown and b"CGC_name" in shown, shown
    assert not (site.folder / "var" / "history.db").exists()
    assert site.expect(1, "show", "Gene", "nobody").stderr


@check("varve diff of two build folders answers like diff(1) and needs no store")
def _(site):
    old, new = ("--from", str(site.builds / "WS187")), ("--to", str(site.builds / "WS188"))
    assert site.expect(1, "diff", *GENE, *old, *new).stdout
    site.expect(0, "diff", "Person", "WBPerson1983", *old, *new)
    assert site.expect(2, "diff", "Gene", "nobody", *old, *new).stderr
    missing = site.expect(2, "diff", *GENE, *old, "--to", str(site.builds / "WS999"))
    assert b"WS999 is neither a folder nor the version of a release" in missing.stderr, missing
    assert not (site.folder / "var" / "history.db").exists()


@check("varve diff --format json gives the changes and their kinds")
def _(site):
    folders = ("--from", str(site.builds / "WS187"), "--to", str(site.builds / "WS188"), "--format", "json")
    changed = json.loads(site.expect(1, "diff", *GENE, *folders).stdout)
    assert (changed["class"], changed["name"]) == GENE
    assert (changed["from"], changed["to"], changed["kind"]) == ("WS187", "WS188", "changed"), changed
    assert {change["op"] for change in changed["changes"]} <= {"added", "removed", "replaced"}
    created = json.loads(site.expect(1, "diff", "Phenotype", "WBPhenotype:0004022", *folders).stdout)
    vanished = json.loads(site.expect(1, "diff", "Phenotype", "WBPhenotype:0001213", *folders).stdout)
    assert (created["kind"], vanished["kind"]) == ("created", "vanished")


@check("varve diff of two releases reads the stored trees")
def _(site):
    site.expect(0, "init")
    for build in ("WS186", "WS187", "WS188"):
        site.visit(build, *GENE)
    stored = site.expect(1, "diff", *GENE, "--from", "WS187", "--to", "WS188", "--format", "json").stdout
    folders = ("--from", str(site.builds / "WS187"), "--to", str(site.builds / "WS188"), "--format", "json")
    assert stored == site.expect(1, "diff", *GENE, *folders).stdout


@check("varve diff omits [ignore] content between two releases and shows it between two folders")
def _(site):
    site.expect(0, "init")
    for build in ("WS187", "WS188"):
        site.visit(build, *GENE)
    with site.write_config("ignoring.conf").open("a") as config:
        config.write("\n[ignore]\nGene = person_evidence\n")
    releases = ("--from", "WS187", "--to", "WS188")
    folders = ("--from", str(site.builds / "WS187"), "--to", str(site.builds / "WS188"))
    site.expect(1, "diff", *GENE, *releases)
    site.expect(0, "diff", *GENE, *releases, config="ignoring.conf")
    site.expect(0, "diff", *GENE, "--from", "WS187", *folders[2:], config="ignoring.conf")
    site.expect(1, "diff", *GENE, *folders, config="ignoring.conf")


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
    assert b"1 objects" in done.stderr, done
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
    assert lines[0].split() == ["RELEASE", "DATE", "BUILD", "COMPARED", "WARMED", "HISTORY"], lines
    newest = lines[-1].split(None, 5)
    assert newest == ["WS188", "2008-03-22", "current", "1", "0", "1 changed"], lines
    assert all(len(line) <= 80 for line in lines), lines
    listed = json.loads(site.expect(0, "releases", "--json").stdout)["releases"]
    names = [release["version"] for release in listed]
    assert names[-3:] == ["WS186", "WS187", "WS188"], names
    assert listed[-1]["history"] == {"changed": 1} and listed[-1]["compared"] == 1, listed
    assert [(release["current"], release["newest"]) for release in listed[-2:]] == \
        [(False, False), (True, True)], listed


@check("varve releases keeps its columns for long versions, and says when the build is refused")
def _(site):
    site.expect(0, "init")
    site.visit("WS188", *GENE)
    site.add_build("WS188-again.2008", "2008-04-01", site.dump_of("WS188"))
    site.write_config("again.conf", path="builds/WS188-again.2008")
    site.expect(0, "accept", "WS188-again.2008", config="again.conf")
    site.visit("WS188-again.2008", *GENE)
    lines = site.expect(0, "releases").stdout.decode().splitlines()
    assert len({line.index(word) for line, word in zip(lines[-2:], ("2008-03-22", "2008-04-01"))}) == 1, lines
    assert lines[0].index("DATE") == lines[-1].index("2008-04-01"), lines
    (site.builds / "WS188" / "release.ini").write_text("version = WS188\ndate = 2008-03-23\n")
    listing = site.expect(0, "releases")
    assert re.search(rb"WS188 +2008-03-22 refused ", listing.stdout), listing
    assert listing.stderr.count(b"is recorded as of 2008-03-22") == 1, listing
    listed = json.loads(site.expect(0, "releases", "--json").stdout)["releases"]
    assert [(release["version"], release["refused"]) for release in listed if release["refused"]] == \
        [("WS188", True)] and not any(release["current"] for release in listed), listed


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


@check("varve prewarm --build says first what it recorded of that build, and --replace when nothing was recorded")
def _(site):
    site.expect(0, "init")
    site.expect(1, "feed", "Gene", "nobody")  # records the release alone
    folder = site.builds / "WS188"
    (dump,) = folder.glob("*.ace")
    dump.write_bytes(dump.read_bytes().replace(b"unc-26", b"unc-27"))
    told = site.expect(0, "prewarm", "--replace", "WS188").stdout.decode()
    assert "no object" in told and "varve prewarm --all" in told and " new " not in told, told
    staged = site.add_build("WS189", "2008-05-01", site.dump_of("WS188").replace(b"unc-27", b"unc-28"))
    told = site.expect(0, "prewarm", "--all", "--build", str(staged)).stdout.decode()
    assert told.startswith("WS189: ") and told.count("\n  new ") == 1, told
    assert re.search(r"\nWS188, the current release, was brought up to date before: [1-9]", told), told
    again = site.expect(0, "prewarm", "--all", "--build", str(staged)).stdout.decode()
    assert "WS188" not in again, again


@check("varve forget of a class that is spelled otherwise names the recorded one")
def _(site):
    site.expect(0, "init")
    site.visit("WS188", *GENE)
    done = site.expect(1, "forget", "class", "gene", "--yes")
    assert b"no object of a class gene is recorded; did you mean Gene?" in done.stderr, done


@check("varve forget --yes deletes an object, and the next request records it again")
def _(site):
    site.expect(0, "init")
    for build in ("WS186", "WS187", "WS188"):
        feed = site.visit(build, *GENE)
    done = site.expect(0, "forget", "release", "WS188", "--yes")
    assert b"current release" in done.stderr and b"1 history row," in done.stdout, done
    assert b"WS188" not in site.visit("WS187", *GENE)
    again = site.visit("WS188", *GENE)
    built = rb"<lastBuildDate>[^<]*"  # when it was recorded
    assert re.sub(built, b"", again) == re.sub(built, b"", feed), again
    assert b"1 object," in site.expect(0, "forget", "--yes", "object", *GENE).stdout
    assert site.expect(1, "forget", "--yes", "object", *GENE).stderr
    site.visit("WS188", *GENE)
    assert b"1 object," in site.expect(0, "forget", "class", "Gene", "--yes").stdout


@check("varve forget of an unknown object ends with status 1 and names it")
def _(site):
    site.expect(0, "init")
    for what in (("release", "WS999"), ("class", "Gnome"), ("object", "Gene", "nobody")):
        done = site.expect(1, "forget", *what, "--yes")
        assert what[-1].encode() in done.stderr and not done.stdout, done


@check("varve forget asks on a terminal, and elsewhere deletes only with --yes")
def _(site):
    site.expect(0, "init")
    site.visit("WS188", *GENE)
    exported = site.expect(0, "export").stdout
    done = site.expect(2, "forget", "object", *GENE)
    assert b"--yes" in done.stderr and b"1 object," in done.stderr and not done.stdout, done
    for wrong in (("forget",), ("forget", "release"), ("forget", "object", "Gene"), ("forget", "planet")):
        assert site.expect(2, *wrong, "--yes").stderr
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


@check("varve check finds nothing wrong with the sample site")
def _(site):
    site.expect(0, "init")
    assert site.expect(0, "check").stdout


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


@check("varve check warns when the timestamps of loading would be reported as changes")
def _(site):
    folder = site.folder / "loaded"
    folder.mkdir()
    (folder / "release.ini").write_text("version = WS188\ndate = 2008-03-22\n")
    objects = "".join(f'Gene : "g{i}"\nRemark\t -O "2008-0{1 + i % 3}-{10 + i % 20}_09:00:00_loader" "x"'
                      f' -O "2008-0{1 + i % 3}-{10 + i % 20}_09:00:00_loader"\n\n' for i in range(200))
    (folder / "dump.ace").write_text(objects + "// End of this dump file\n")
    site.write_config(source__path="loaded")
    site.expect(0, "init")
    (warning,) = (line for line in site.expect(0, "check").stdout.splitlines() if b"first sight" in line)
    assert warning.startswith(b"warning ") and b"200 of 200" in warning and b"loader (200)" in warning, warning
    assert b"build_users" in warning, warning
    site.write_config(source__path="loaded", history__build_users="loader")
    assert b"first sight" not in site.expect(0, "check").stdout


@check("varve check explains what is wrong with a build that has no release.ini")
def _(site):
    site.expect(0, "init")
    (site.builds / "WS188" / "release.ini").unlink()
    done = site.expect(1, "check")
    assert b"release.ini" in done.stdout + done.stderr, done


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


@check("varve check finds a count that is not that of the rows, and a row under another name")
def _(site):
    site.expect(0, "init")
    site.switch_to("WS187")
    site.expect(0, "prewarm", "--all")
    site.switch_to("WS188")
    site.expect(0, "prewarm", "--all")
    site.expect(0, "check")
    with contextlib.closing(sqlite3.connect(site.folder / "var/history.db")) as store, store:
        store.execute("UPDATE row_counts SET objects = objects + 1 WHERE class = 'Gene' AND kind = 'changed'")
        store.execute("UPDATE history SET name = 'another' WHERE sid = (SELECT MAX(sid) FROM history)")
    done = site.expect(1, "check").stdout
    assert b"class Gene has" in done and b"export the store and import it" in done, done
    assert b"class and name say something else" in done, done
