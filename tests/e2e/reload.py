"""SIGHUP: configuration and templates reloaded by a running server.

SPDX-License-Identifier: MIT
"""
import signal

from checks import check
from load import Load
from site_of_varve import eventually, rss_path

GENE = ("Gene", "WBGene00006763")
PATH = rss_path(*GENE)


def log_of(site):
    return (site.folder / "varve.log").read_text()


def reload(site):
    site.varve.send_signal(signal.SIGHUP)


def reload_until(site, words, times=1):
    """Sends SIGHUP and waits until the log has `words` once more than before."""
    before = log_of(site).count(words)
    reload(site)
    eventually(lambda: log_of(site).count(words) >= before + times, f"the log says: {words}")


REFUSED = "configuration rejected, the previous one stays in use"
READ = "configuration reloaded"


@check("SIGHUP under load applies a new title without an error or a mixed answer")
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


@check("A wrong configuration is refused with its reason, and the earlier one stays in use")
def _(site):
    site.start()
    known = site.feed(*GENE).body
    for changes, words in (({"site__colour": "red"}, "[site] colour"),
                           ({"site__templates": "nowhere"}, "[site] templates"),
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


@check("The log names the settings that need a restart, and they stay as they are")
def _(site):
    site.start()
    site.write_config(serve__threads="3", serve__listen="unix:other.sock")
    reload_until(site, READ)
    text = log_of(site)
    assert 'key="[serve] listen"' in text and 'key="[serve] threads"' in text, text
    assert not (site.folder / "other.sock").exists()
    assert site.get(PATH).status == 200


@check("Templates are reloaded, and a bad one is refused by name")
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


@check("A server that is reloaded again and again still stops when it is told to")
def _(site):
    site.start()
    for _ in range(20):
        reload(site)
    assert site.stop_varve() == 0
