"""A real nginx in front of varve, with nginx.conf.example.

SPDX-License-Identifier: MIT
"""
import contextlib
import gzip
import subprocess

from checks import check
from site_of_varve import HERE, eventually, free_port, rss_path

GENE = ("Gene", "WBGene00006763")
PATH = rss_path(*GENE)
# What readers may write for "token=", by mistake or encoded once more than needed.
NEAR_TOKENS = ("token%3D", "%74oken=", "TOKEN[]=", "token%5b%5D=", "%2574oken%253D", "tokens=")


def with_changes(example, changes):
    """Returns the text of a configuration with other texts in the places of some."""
    text = example.read_text()
    for old, new in changes.items():
        assert old in text, f"{old} is not in {example.name}"
        text = text.replace(old, str(new))
    return text


@contextlib.contextmanager
def behind_nginx(site, changes=None, **config):
    """The site requested through nginx with our port, socket, user and folder in its example, and other changes."""
    site.behind = "nginx"
    site.port = free_port()
    run = site.folder / "nginx"
    run.mkdir()
    text = with_changes(HERE / "nginx.conf.example", {
        "user www-data;\n": "", "/run/varve-nginx": run, "/run/varve/varve.sock": site.folder / "varve.sock",
        "listen 80;": f"listen 127.0.0.1:{site.port};", **(changes or {})})
    (run / "nginx.conf").write_text(text)
    site.write_config(**config)
    site.expect(0, "init")
    site.start_varve()
    server = subprocess.Popen([str(HERE / "nginx"), "-c", str(run / "nginx.conf"), "-e", str(run / "start.log"),
                               "-g", "daemon off;"], stdin=subprocess.DEVNULL)
    try:
        eventually(lambda: answers(site, server), "nginx and varve answer")
        yield run
    finally:
        server.terminate()
        server.wait(60)


def answers(site, server):
    assert server.poll() is None, "nginx ended"
    try:
        return site.get("/healthz").status == 200
    except OSError:
        return False


def expect_what_varve_answers(site):
    """Checks that a web server passes requests, bodies and answers on as they are."""
    feed = site.feed(*GENE)
    assert feed.fields["content-type"] == "application/rss+xml; charset=utf-8", feed
    assert site.expect(0, "feed", *GENE).stdout == feed.body
    head = site.get(PATH, method="HEAD")
    assert head.status == 200 and head.body == b"", head
    assert head.fields["content-length"] == str(len(feed.body)), head
    again = site.get(PATH, If_None_Match=feed.fields["etag"])
    assert again.status == 304 and again.fields["etag"] == feed.fields["etag"], again
    packed = site.get(PATH, Accept_Encoding="gzip")
    assert gzip.decompress(packed.body) == feed.body
    page = site.get("/history?class=Gene&name=WBGene00006763")
    assert page.status == 200 and page.fields["content-type"].startswith("text/html"), page
    assert site.expect(0, "get", "/history?class=Gene&name=WBGene00006763").stdout == page.body
    assert site.get("/nowhere").status == 404
    for _ in range(20):  # an unexpected body does not disturb what follows on the connection
        assert site.get(PATH, method="POST", body="x" * 10_000).status == 405
        assert site.get(PATH).body == feed.body
    form = {"Content_Type": "application/x-www-form-urlencoded"}
    assert site.get("/watch", method="POST", body="names=Gene:WBGene00006763", **form).status == 303
    # Of an unknown length: http.client sends it in chunks.
    chunks = site.get("/watch", method="POST", body=iter([b"names=Gene:", b"WBGene00006763"]), **form)
    assert chunks.status == 303 and chunks.fields["location"].endswith("WBGene00006763"), chunks
    assert site.get("/watch", method="POST", body="names=" + "x" * 140_000, **form).status == 413
    long_list = "&".join(f"object=Gene:{'x' * 80}{number}" for number in range(100))
    assert site.get("/rss?" + long_list).status == 404
    assert site.get("/rss?class=Gene&name=" + "x" * 1_000_000).status == 414


@check("nginx with nginx.conf.example answers feeds, HEAD, 304, gzip, pages and forms as varve does")
def _(site):
    with behind_nginx(site):
        expect_what_varve_answers(site)


@check("Behind nginx a private site accepts the password, and no log contains a token")
def _(site):
    with behind_nginx(site, site__private="yes") as run:
        token = site.expect(0, "token", "add", "reader").stdout.decode().strip()
        eventually(lambda: site.get(f"{PATH}&token={token}").status == 200, "the token is known")
        for name in ("token=", *NEAR_TOKENS):
            site.get(f"{PATH}&{name}{token}")
            assert site.get(PATH, Referer=f"https://x.org/?{name}{token}").status == 401
        for separator in ("%3F", ";", "/", "%2f%253f"):
            site.get(f"/rss{separator}token={token}")
        assert site.get(PATH + "&n=1").status == 401
        logged = eventually(lambda: (run / "access.log").read_text().count("n=1") >= 1
                            and (run / "access.log").read_text(), "the last line")
        assert token not in logged and "n=1" in logged, logged
