"""Tokens, limits, and a socket opened by systemd.

SPDX-License-Identifier: MIT
"""
import base64
import contextlib
import json
import os
import re
import socket
import sqlite3
import stat
import subprocess

import fastcgi
from ace_peers import ask_database
from checks import check
from nginx import NEAR_TOKENS
from reload import GENE, PATH, READ, reload_until
from site_of_varve import PROGRAM, eventually


@check("A new store and an export are for their user and group at most; those of a private site for nobody else")
def _(site):
    for private, mode in (("no", 0o640), ("yes", 0o600)):
        site.write_config(site__private=private, store__url=f"sqlite:var/{private}.db",
                          source__index=f"var/{private}.index")
        for command in (("init",), ("feed", *GENE), ("export", f"var/{private}.jsonl")):
            site.expect(0, *command, umask=0)
        for name in (f"{private}.db", f"{private}.db-turn", f"{private}.jsonl"):
            assert stat.S_IMODE((site.folder / "var" / name).stat().st_mode) == mode, name
        index = stat.S_IMODE((site.folder / "var" / f"{private}.index").stat().st_mode)
        assert index == (0o700 if private == "yes" else 0o777), oct(index)


@check("varve check warns of passwords, and of a private site's store, that every user can read")
def _(site):
    secrets = [site.folder / name for name in ("store's password", "source-password")]
    for secret in secrets:
        secret.write_text("x\n")
        secret.chmod(0o640)
    site.write_config(site__private="yes", store__password_file=secrets[0])
    site.expect(0, "init")
    assert b"every user" not in site.expect(0, "check").stdout
    secrets[0].chmod(0o644)
    (site.folder / "var" / "history.db").chmod(0o644)
    told = site.expect(0, "check").stdout.decode()
    quoted = str(secrets[0]).replace("'", "'\\''")
    assert f"warning  password: every user of this host can read '{quoted}'; run: chmod o-r '{quoted}'\n" in told, told
    assert re.search(r"warning  store: the site is private, .* run: chmod o-r \S*/var/history.db\n", told), told
    assert "warning  index" not in told, told
    (site.folder / "var" / "index").chmod(0o755)
    told = site.expect(0, "check").stdout.decode()
    assert re.search(r"warning  index: the site is private, .* run: chmod o-rwx \S*/var/index\n", told), told
    site.write_config()
    assert b"every user" not in site.expect(0, "check").stdout
    secrets[1].chmod(0o604)
    ask_database(site, "server", source__host="127.0.0.1", source__port=1, source__user="reader",
                 source__password_file=secrets[1])
    assert b"warning  password: every user" in site.expect(1, "check").stdout


@check("varve check names damaged objects and rows, and a table, a column and numbers that are missing")
def _(site):
    site.expect(0, "init")
    site.visit("WS188", *GENE)
    assert b"objects:" not in site.expect(0, "check").stdout
    whole = (site.folder / "var" / "history.db").read_bytes()
    of_gene = "objects: Gene WBGene00006763 "
    for damage, fault in (
            ("DELETE FROM trees", of_gene + "has no tree in the table trees"),
            ("UPDATE objects SET name_key = 'x'", of_gene + "is not found by its name: the column name_key is 'x'"),
            ("UPDATE objects SET oid = 9223372036854775807", "objects: the table objects has a row numbered 9223372036854775807"),
            ("UPDATE history SET name = 'another'", "class and name say something else"),
            ("UPDATE history SET notes = '{'", "history: Gene WBGene00006763 in WS18"),
            ("DROP TABLE parts", " lacks table parts"),
            ("ALTER TABLE history DROP COLUMN label", " lacks column history.label")):
        with contextlib.closing(sqlite3.connect(site.folder / "var" / "history.db")) as store, store:
            store.execute(damage)
        told = site.expect(1, "check").stdout.decode()
        assert re.search(rf"wrong    .*{re.escape(fault)}", told), (damage, told)
        for beside in ("-wal", "-shm"):
            (site.folder / "var" / f"history.db{beside}").unlink(missing_ok=True)
        (site.folder / "var" / "history.db").write_bytes(whole)


@check("An operator lists watch lists, and deletes one or those that nobody uses")
def _(site):
    site.start()
    kept = site.get("/watch", method="POST", body=f"object={':'.join(GENE)}&keep=1",
                    Content_Type="application/x-www-form-urlencoded")
    assert kept.status == 303, kept
    name = kept.fields["location"].rsplit("/", 1)[1].partition("?")[0]
    assert site.get(f"/watch/{name}").status == 200
    listed = json.loads(site.expect(0, "watch-list", "list", "--json").stdout)["watch_lists"]
    assert [(each["id"], each["objects"]) for each in listed] == [(name, 1)]
    assert name.encode() in site.expect(0, "watch-list", "list").stdout
    for wrong in (("delete",), ("delete", name, "--unused", "1"), ("delete", "--unused", "-1"),
                  ("delete", "--unused", "9999999")):
        assert site.expect(2, "watch-list", *wrong).stderr
    assert site.expect(0, "watch-list", "delete", "--unused", "0").stdout == b"0 watch lists deleted\n"
    assert b"gone within a minute" in site.expect(0, "watch-list", "delete", name).stdout
    assert site.expect(1, "watch-list", "delete", name).stderr
    # Its page may be in memory for a minute.
    assert site.get(f"/rss?watch={name}").status == 404


@check("A private site accepts a token in the address or as a password until it is revoked")
def _(site):
    site.write_config(site__private="yes")
    site.expect(0, "init")
    assert b"varve token add" in site.expect(0, "check").stdout
    site.start_behind_apache()
    token = site.expect(0, "token", "add", "sylvia").stdout.decode().strip()
    assert b"already" in site.expect(1, "token", "add", "sylvia").stderr
    listed = json.loads(site.expect(0, "token", "list", "--json").stdout)["tokens"]
    assert [each["name"] for each in listed] == ["sylvia"] and token not in str(listed)
    assert b"sylvia" in site.expect(0, "token", "list").stdout

    def basic(password):
        return "Basic " + base64.b64encode(b"reader:" + password.encode()).decode()

    eventually(lambda: site.get(f"{PATH}&token={token}").status == 200, "the token is known")
    reply = site.get(PATH, Authorization=basic(token))
    assert reply.status == 200 and reply.fields["cache-control"] == "private, no-cache", reply
    cgi = site.get(PATH.replace("/rss", "/cgi-bin/rss"), Authorization=basic(token))
    assert cgi.status == 200 and cgi.body == reply.body, cgi
    for name in ("token=", *NEAR_TOKENS):
        site.get(PATH + "&n=3", Referer=f"http://127.0.0.1:{site.port}/history?{name}{token}")
    site.get(PATH + "&n=2")
    site.expect(0, "token", "revoke", "sylvia")
    eventually(lambda: site.get(f"{PATH}&token={token}").status == 401, "the token is of no use")
    assert site.expect(1, "token", "revoke", "sylvia").stderr
    secret = token.encode()
    for log in ("varve.log", "httpd/access.log", "httpd/error.log"):
        assert secret not in (site.folder / log).read_bytes(), log
    eventually(lambda: b"n=2 " in (site.folder / "httpd/access.log").read_bytes(), "other queries are logged")
    assert b"<rss" in site.expect(0, "feed", *GENE).stdout


@check("varve serve takes its socket from systemd as descriptor 0 and keeps it over a restart")
def _(site):
    site.write_config(serve__listen="-")
    site.expect(0, "init")
    with socket.socket(socket.AF_UNIX) as listening:
        address = str(site.folder / "inherited.sock")
        listening.bind(address)
        listening.listen(16)
        for _ in range(2):
            log = open(site.folder / "varve.log", "ab")
            site.varve = subprocess.Popen(
                [str(PROGRAM), "serve", "--config", str(site.folder / "varve.conf")],
                stdin=listening, stdout=log, stderr=log, cwd=site.folder)
            log.close()
            answer = fastcgi.get(address, "/rss?class=Gene&name=WBGene00006763")  # waits in the socket for varve
            assert answer.status == 200 and b"<rss" in answer.body, answer
            reload_until(site, READ)
            assert site.stop_varve() == 0
            assert os.path.exists(address)
    done = site.expect(1, "serve")
    assert b"not a listening socket" in done.stderr, done
