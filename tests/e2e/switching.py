"""Builds that appear, vanish and are refused, and a server that stops, while readers ask.

SPDX-License-Identifier: MIT
"""
import re

from checks import check
from load import Load
from site_of_varve import eventually, rss_path

GENE = ("Gene", "WBGene00006763")
PATH = rss_path(*GENE)


def without_proteins(dump):
    return re.sub(rb'(?m)^Protein : "[^\n]*\n(?:[^\n]+\n)*\n', b"", dump)


def is_refused(site):
    return b"refused_build" in site.get("/healthz").body


@check("While builds are switched back and forth under load, each answer is of one build")
def _(site):
    site.expect(0, "init")
    for build in ("WS186", "WS187", "WS188"):
        site.visit(build, *GENE)
    expected = {build: site.visit(build, *GENE) for build in ("WS187", "WS188")}
    site.start()
    with Load(site, PATH, clients=4) as load:
        for build in ("WS187", "WS188", "WS187", "WS188"):
            site.switch_to(build)
            eventually(lambda now=build: load.broken or site.feed(*GENE).body == expected[now], f"answers from {build}")
            eventually(load.each_has(20), "answers")
    assert not load.broken, load.broken
    for replies in load.replies:
        assert {status for status, _ in replies} == {200}
        assert {body for _, body in replies} == set(expected.values())


@check("SIGTERM under load stops the server once it has answered; readers get whole feeds or 503")
def _(site):
    site.write_config(serve__stop_within=60)
    site.start_behind_apache()
    body = site.feed(*GENE).body
    with Load(site, PATH) as load:
        eventually(load.each_has(20), "answers")
        assert site.stop_varve() == 0
        assert "stopped before all" not in (site.folder / "varve.log").read_text(), "it waited for none in vain"
        eventually(load.each_has(2), "answers of Apache alone")
        site.start_varve()
        eventually(lambda: site.get(PATH).status == 200, "the next server answers")
        eventually(load.each_has(5), "answers of the next server")
    assert not load.broken, load.broken
    for replies in load.replies:
        assert {status for status, _ in replies} <= {200, 503}
        assert {answer for status, answer in replies if status == 200} == {body}
        assert replies[-1][0] == 200, [status for status, _ in replies[-20:]]


@check("A server that starts without its build folder serves as soon as the folder is there")
def _(site):
    site.start()
    known = site.feed(*GENE).body
    assert site.stop_varve() == 0
    site.builds.rename(site.folder / "elsewhere")
    site.start_varve()
    # Without models, nobody knows which tags say enough: words are longer.
    items = re.findall(rb"<guid[^>]*>[^<]*", known)
    eventually(lambda: re.findall(rb"<guid[^>]*>[^<]*", site.get(PATH).body) == items,
               "what is recorded is served without it")
    unseen = site.get(rss_path("Strain", "CB205"))
    assert unseen.status == 503 and int(unseen.fields["retry-after"]) > 0, unseen
    (site.folder / "elsewhere").rename(site.builds)
    eventually(lambda: site.get(rss_path("Strain", "CB205")).status == 200, "the build is found")
    assert site.feed(*GENE).body == known


@check("A build whose class lost most of its objects waits for varve accept")
def _(site):
    site.start()
    known = site.feed(*GENE).body
    gone = rss_path("Protein", "WP:CE00001")
    site.feed("Protein", "WP:CE00001")
    site.add_build("WS189", "2008-04-19", without_proteins(site.dump_of("WS188")))
    site.switch_to("WS189")
    eventually(lambda: is_refused(site), "the build is refused")
    assert site.feed(*GENE).body == known
    assert b"varve accept WS189" in site.expect(1, "check").stdout
    site.expect(0, "accept", "WS189")
    eventually(lambda: b"Protein WP:CE00001 vanished in WS189" in site.get(gone).body, "the accepted build is served")
    site.expect(0, "check")
