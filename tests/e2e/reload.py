"""SIGHUP: configuration, templates and logs read anew by a running server.

SPDX-License-Identifier: MIT
"""
import base64
import json
import os
import signal
import socket
import subprocess

from checks import check
from load import Load
from site_of_varve import PROGRAM, eventually, rss_path

GENE = ("Gene", "WBGene00006763")
PATH = rss_path(*GENE)


def log_of(site):
    return (site.folder / "varve.log").read_text()


def reload(site):
    site.varve.send_signal(signal.SIGHUP)


def reload_until(site, words, times=1):
    """SIGHUP, and the log says `words` once more than before."""
    before = log_of(site).count(words)
    reload(site)
    eventually(lambda: log_of(site).count(words) >= before + times, f"the log says: {words}")


REFUSED = "configuration refused, the one before stays"
READ = "configuration read anew"


@check("SIGHUP brings a new title, under load, without an error or a mixed answer")
def _(site):
    site.start()
    before = site.feed(*GENE).body
    with Load(site, PATH) as load:
        eventually(load.each_has(5), "answers before")
        for number in range(5):
            site.write_config(site__title=f"Title {number}")
            reload_until(site, READ)
            eventually(load.each_has(2), "answers between")
        eventually(load.each_has(5), "answers after")
    assert not load.broken, load.broken
    after = site.feed(*GENE).body
    assert b"Title 4" in after and b"Title 4" not in before
    titled = {after.replace(b"Title 4", b"Title %d" % number) for number in range(5)}
    for replies in load.replies:
        assert {status for status, _ in replies} == {200}, {status for status, _ in replies}
        assert {body for _, body in replies} <= {before} | titled
        assert replies[-1][1] == after


@check("a new configuration brings a new entity tag, and the same ids")
def _(site):
    site.start()
    before = site.feed(*GENE)
    site.write_config(site__title="Another title")
    reload_until(site, READ)
    after = site.get(PATH, If_None_Match=before.fields["etag"])
    assert after.status == 200 and after.fields["etag"] != before.fields["etag"], after
    assert before.body.count(b"<guid") == after.body.count(b"<guid")


def count_of(site, metric):
    return sum(float(line.split()[-1]) for line in site.get("/metrics").text.splitlines()
               if line.startswith(metric))


@check("what operators count goes on over a reload")
def _(site):
    site.start()
    for _ in range(10):
        site.feed(*GENE)
    feeds = 'varve_requests_total{route="feed"'
    before = count_of(site, feeds)
    assert before >= 10, site.get("/metrics").text
    reload_until(site, READ)
    site.feed(*GENE)
    assert count_of(site, feeds) == before + 1


@check("a wrong configuration is refused with its reason, and the one before stays")
def _(site):
    site.start()
    known = site.feed(*GENE).body
    for changes, words in (({"site__colour": "red"}, "[site] colour"),
                           ({"site__templates": "nowhere"}, "[site] templates"),
                           ({"log__access": "nowhere/access.log"}, "nowhere/access.log"),
                           ({"log__file": "nowhere/varve.log"}, "nowhere/varve.log"),
                           ({"store__url": "sqlite:var/nothing.db"}, "nothing.db"),
                           ({"path": "builds/nowhere"}, "builds/nowhere")):
        site.write_config(site__title="Never seen", **changes)
        reload_until(site, REFUSED)
        assert words in log_of(site).splitlines()[-1], (changes, log_of(site)[-500:])
        assert site.feed(*GENE).body == known, changes
    (site.folder / "varve.conf").unlink()
    reload_until(site, REFUSED)
    assert site.feed(*GENE).body == known
    site.write_config(site__title="Seen")
    reload_until(site, READ)
    assert b"Seen" in site.feed(*GENE).body


@check("what takes a restart is named in the log, and stays as it is")
def _(site):
    site.start()
    site.write_config(serve__threads="3", serve__listen="unix:other.sock")
    reload_until(site, READ)
    text = log_of(site)
    assert 'key="[serve] listen"' in text and 'key="[serve] threads"' in text, text
    assert not (site.folder / "other.sock").exists()
    assert site.get(PATH).status == 200


@check("templates are read anew, and a bad one is refused by name")
def _(site):
    templates = site.folder / "templates"
    templates.mkdir()
    (templates / "style.css").write_text("/* first */\n")
    site.write_config(site__templates="templates")
    site.start()
    assert site.get("/style.css").text == "/* first */\n"
    (templates / "style.css").write_text("/* second */\n")
    reload_until(site, READ)
    assert site.get("/style.css").text == "/* second */\n"
    (templates / "home.mustache").write_text("{{no_such_variable}}\n")
    reload_until(site, REFUSED)
    assert "home.mustache" in log_of(site) and "no_such_variable" in log_of(site)
    assert site.get("/style.css").text == "/* second */\n" and site.get("/").status == 200


@check("a program with a template that is wrong does not start, and says which")
def _(site):
    (site.folder / "templates").mkdir()
    (site.folder / "templates" / "history.mustache").write_text("{{#open}}")
    site.write_config(site__templates="templates")
    for command in ("serve", "init", "check"):
        done = site.expect(2, command)
        assert b"history.mustache" in done.stdout + done.stderr, done
    site.write_config(site__templates="nowhere")
    assert b"nowhere" in site.expect(2, "serve").stderr


@check("logs that logrotate has moved away are opened anew, and each request is in one of them")
def _(site):
    site.write_config(log__file="var/varve.txt", log__access="var/access.txt")
    site.start()
    log, access = site.folder / "var" / "varve.txt", site.folder / "var" / "access.txt"
    asked = 20
    with Load(site, PATH) as load:
        eventually(load.each_has(asked), "answers")
        for file in (log, access):
            file.rename(file.with_suffix(".1"))
        reload(site)
        eventually(lambda: log.exists() and READ in log.read_text(), "a new log")
        eventually(load.each_has(asked), "answers")
    assert not load.broken, load.broken
    old, new = access.with_suffix(".1").read_text(), access.read_text()
    lines = [line for line in (old + new).splitlines() if f'path=/rss query="{PATH[5:]}" ' in line]
    assert len(lines) == load.count(), (len(lines), load.count())
    assert all(" status=200 " in line and " us=" in line for line in lines)
    assert new, "the new file has lines"


@check("an address with another path takes effect with the reload, and links follow it")
def _(site):
    site.start()
    assert site.get(PATH).status == 200
    site.write_config(site__base_url=f"http://127.0.0.1:{site.port}/changes")
    reload_until(site, READ)
    assert site.get(PATH).status == 404
    reply = site.get("/changes" + PATH)
    assert reply.status == 200 and f":{site.port}/changes/rss".encode() in reply.body, reply


@check("another build and another store take effect with the reload")
def _(site):
    site.write_config(path="builds/WS187")
    site.start()
    assert b'"WS187"' in site.get("/healthz").body
    site.write_config(path="builds/WS188", store__url="sqlite:var/other.db")
    site.expect(0, "init")
    reload_until(site, READ)
    assert b'"WS188"' in site.get("/healthz").body
    assert b"WS187" not in site.feed("Phenotype", "WBPhenotype:0004022").body
    assert (site.folder / "var" / "other.db").exists()


@check("a limit takes effect with the reload: who asks too often is told when to come again")
def _(site):
    site.start()
    for _ in range(5):
        assert site.get(PATH).status == 200
    site.write_config(serve__limit_per_minute="1", serve__limit_burst="2")
    reload_until(site, READ)
    statuses = [site.get(PATH).status for _ in range(3)]
    assert statuses == [200, 200, 429], statuses
    refused = site.get(PATH)
    assert 0 < int(refused.fields["retry-after"]) <= 60, refused
    assert site.get("/healthz").status == 200
    site.write_config()
    reload_until(site, READ)
    assert site.get(PATH).status == 200


@check("a server told to reload again and again, and to stop in the midst of it, stops")
def _(site):
    site.start()
    for _ in range(20):
        reload(site)
    assert site.stop_varve() == 0


@check("a private site lets in who has a token, in the address or as a password, until it is revoked")
def _(site):
    site.write_config(site__private="yes", log__access="var/access.txt")
    site.expect(0, "init")
    assert b"varve token add" in site.expect(0, "check").stdout
    site.start()
    token = site.expect(0, "token", "add", "sylvia").stdout.decode().strip()
    assert site.expect(2, "token", "add", "a\nb").stderr
    assert b"already" in site.expect(1, "token", "add", "sylvia").stderr
    listed = json.loads(site.expect(0, "token", "list", "--json").stdout)["tokens"]
    assert [each["name"] for each in listed] == ["sylvia"] and token not in str(listed)
    assert b"sylvia" in site.expect(0, "token", "list").stdout

    def basic(password):
        return "Basic " + base64.b64encode(b"reader:" + password.encode()).decode()

    eventually(lambda: site.get(f"{PATH}&token={token}").status == 200, "the token is known")
    reply = site.get(PATH, Authorization=basic(token))
    assert reply.status == 200 and "no-store" in reply.fields["cache-control"], reply
    for path, fields in ((PATH, {}), (PATH + "&token=wrong", {}), (PATH, {"Authorization": basic("x")})):
        refused = site.get(path, **fields)
        assert refused.status == 401 and "www-authenticate" in refused.fields, refused
    cgi = site.get(PATH.replace("/rss", "/cgi-bin/rss"), Authorization=basic(token))
    assert cgi.status == 200 and cgi.body == reply.body, cgi
    site.get(PATH + "&n=3", Referer=f"http://127.0.0.1:{site.port}/history?token={token}")
    site.get(PATH + "&n=2")
    site.expect(0, "token", "revoke", "sylvia")
    eventually(lambda: site.get(f"{PATH}&token={token}").status == 401, "the token is of no use")
    assert site.expect(1, "token", "revoke", "sylvia").stderr
    secret = token.encode()
    for log in ("var/access.txt", "varve.log", "httpd/access.log", "httpd/error.log"):
        assert secret not in (site.folder / log).read_bytes(), log
    eventually(lambda: b"n=2 " in (site.folder / "httpd/access.log").read_bytes(), "other queries are logged")
    assert b"<rss" in site.expect(0, "feed", *GENE).stdout


def fastcgi_get(path, query, connection):
    """What a FastCGI server answers, by the protocol's records."""
    def record(kind, content):
        return bytes([1, kind, 0, 1, len(content) >> 8, len(content) & 255, 0, 0]) + content

    def parameter(name, value):
        return bytes([len(name), len(value)]) + name.encode() + value.encode()

    parameters = (parameter("REQUEST_METHOD", "GET") + parameter("REQUEST_URI", path)
                  + parameter("QUERY_STRING", query))
    connection.sendall(record(1, bytes([0, 1, 0, 0, 0, 0, 0, 0])) + record(4, parameters)
                       + record(4, b"") + record(5, b""))
    received, output = connection.makefile("rb"), b""
    while True:
        head = received.read(8)
        content = received.read(int.from_bytes(head[4:6], "big") + head[6])
        if head[1] == 3:
            return output
        if head[1] == 6:
            output += content[:int.from_bytes(head[4:6], "big")]


@check("varve serve takes its socket as descriptor 0, as systemd gives it, and outlives a restart with it")
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
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(30)
                client.connect(address)  # waits in the socket until varve is there
                answer = fastcgi_get("/rss", "class=Gene&name=WBGene00006763", client)
            assert answer.startswith(b"Status: 200") and b"<rss" in answer, answer[:300]
            reload_until(site, READ)
            assert site.stop_varve() == 0
            assert os.path.exists(address)
    done = site.expect(1, "serve")
    assert b"no listening socket" in done.stderr, done
