"""Builds that appear, vanish and are refused, and a server that stops, while readers ask.

SPDX-License-Identifier: MIT
"""
import re
import urllib.parse
import xml.etree.ElementTree as ElementTree

from checks import check
from load import Load
from site_of_varve import eventually, rss_path

GENE = ("Gene", "WBGene00006763")
PATH = rss_path(*GENE)


def titles_of(reply):
    return [item.findtext("title") for item in ElementTree.fromstring(reply.body).findall("./channel/item")]


def without(dump, class_name, keep):
    """Returns the dump with only `keep` objects of a class."""
    kept = [0]

    def choose(match):
        kept[0] += 1
        return match.group(0) if kept[0] <= keep else b""

    return re.sub(rb'(?m)^%s : "[^\n]*\n(?:[^\n]+\n)*\n' % class_name.encode(), choose, dump)


def with_object(dump, paragraph):
    """Returns the dump with a further object before the gene."""
    place = dump.index(b'\n\nGene : "WBGene00006763" -O') + 2
    return dump[:place] + paragraph + dump[place:]


def refused_build(site):
    return site.get("/healthz").body


@check("The current build is switched under load without an error or a mixed answer")
def _(site):
    site.switch_to("WS187")
    site.expect(0, "init")
    site.visit("WS186", *GENE)
    site.start()
    before = site.feed(*GENE).body
    with Load(site, PATH) as load:
        eventually(load.each_has(5), "answers before the switch")
        site.switch_to("WS188")
        eventually(lambda: load.broken or site.feed(*GENE).body != before, "the new build is served")
        eventually(load.each_has(5), "answers after the switch")
    assert not load.broken, load.broken
    after = site.feed(*GENE).body
    assert b"WS188" in after and b"WS188" not in before
    for replies in load.replies:
        assert {status for status, _ in replies} == {200}, {status for status, _ in replies}
        bodies = [body for _, body in replies]
        assert set(bodies) == {before, after}, f"{len(set(bodies))} different answers"
        turn = bodies.index(after)
        assert bodies[:turn] == [before] * turn and set(bodies[turn:]) == {after}


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


@check("While the build folder is gone, recorded feeds are served and nothing is invented")
def _(site):
    site.start()
    known = site.feed(*GENE).body
    site.builds.rename(site.folder / "elsewhere")
    eventually(lambda: b"No such file" in refused_build(site), "the server notices")
    assert site.feed(*GENE).body == known
    unseen = site.feed("Strain", "CB205").body  # it still has the files open
    (site.folder / "elsewhere").rename(site.builds)
    eventually(lambda: b"No such file" not in refused_build(site), "the build is read again")
    assert site.feed(*GENE).body == known and site.feed("Strain", "CB205").body == unseen


@check("A server that starts without its build folder serves as soon as the folder is there")
def _(site):
    site.start()
    known = site.feed(*GENE).body
    assert site.stop_varve() == 0
    site.builds.rename(site.folder / "elsewhere")
    site.start_varve()
    eventually(lambda: site.get(PATH).body == known, "what is recorded is served without it")
    unseen = site.get(rss_path("Strain", "CB205"))
    assert unseen.status == 503 and int(unseen.fields["retry-after"]) > 0, unseen
    (site.folder / "elsewhere").rename(site.builds)
    eventually(lambda: site.get(rss_path("Strain", "CB205")).status == 200, "the build is found")
    assert site.feed(*GENE).body == known


@check("A dump that is overwritten in place is reported until it is whole again")
def _(site):
    site.expect(0, "init")
    site.start()
    known = site.feed("Gene", "WBGene00006763").body
    (dump,) = (site.builds / "WS188").glob("*.ace")
    whole = dump.read_bytes()
    with dump.open("r+b") as file:
        file.truncate(len(whole) // 2)
    eventually(lambda: site.get("/healthz").status == 503, "the damage is reported")
    assert b"changed since it was indexed" in site.get("/healthz").body
    assert site.get("/healthz?for=readers").status == 200
    assert site.feed("Gene", "WBGene00006763").body == known
    dump.write_bytes(whole)
    eventually(lambda: site.get("/healthz").status == 200, "the build is served again")


@check("A truncated dump is refused with its reason, and the old build stays in use")
def _(site):
    site.start()
    known = site.feed(*GENE).body
    whole = site.dump_of("WS188")
    site.add_build("WS189", "2008-04-19", whole[:len(whole) * 2 // 3])
    site.switch_to("WS189")
    eventually(lambda: b"WS189" in refused_build(site), "the build is refused")
    assert site.feed(*GENE).body == known
    done = site.expect(1, "check")
    assert b"WS189.ace" in done.stdout + done.stderr, done
    site.switch_to("WS188")
    eventually(lambda: b"WS189" not in refused_build(site), "the refusal is over")
    assert site.feed(*GENE).body == known


@check("A dump truncated between two objects is refused too")
def _(site):
    site.expect(0, "init")
    site.visit("WS188", *GENE)
    whole = site.dump_of("WS188")
    site.add_build("WS189", "2008-04-19", whole[:whole.index(b'\n\nGene : "WBGene00006763" -O') + 2])
    site.switch_to("WS189")
    done = site.expect(1, "check")
    assert b"End of this dump file" in done.stdout + done.stderr, done


@check("A build whose class lost most of its objects waits for varve accept")
def _(site):
    site.start()
    known = site.feed(*GENE).body
    gone = rss_path("Protein", "WP:CE00001")
    site.feed("Protein", "WP:CE00001")
    fewer = without(site.dump_of("WS188"), "Protein", 0)
    assert len(fewer) < len(site.dump_of("WS188")) / 2
    site.add_build("WS189", "2008-04-19", fewer)
    site.switch_to("WS189")
    eventually(lambda: b"Protein" in refused_build(site), "the build is refused")
    assert site.feed(*GENE).body == known
    assert b"varve accept WS189" in site.expect(1, "check").stdout
    site.expect(0, "accept", "WS189")
    eventually(lambda: titles_of(site.get(gone))[:1] == ["Protein WP:CE00001 vanished in WS189"],
               "the accepted build is served")
    site.expect(0, "check")


@check("A staged build that lost most of a class is recorded after varve accept --build, as it says")
def _(site):
    site.expect(0, "init")
    site.switch_to("WS188")
    site.expect(0, "prewarm", "--class", "Protein")
    site.add_build("WS189", "2008-04-19", without(site.dump_of("WS188"), "Protein", 0))
    staged = ("--build", str(site.builds / "WS189"))
    refused = site.expect(1, "prewarm", "--all", *staged)
    assert f"varve accept WS189 {' '.join(staged)}".encode() in refused.stderr, refused
    assert b"WS188" in site.expect(2, "accept", "WS189").stderr
    site.expect(0, "accept", "WS189", *staged)
    site.expect(0, "prewarm", "--all", *staged)


@check("A release that is published again with other content is refused")
def _(site):
    site.start()
    known = site.feed(*GENE).body
    folder = site.add_build("again", "2008-03-22", site.dump_of("WS188").replace(b"unc-26", b"unc-27"))
    (folder / "release.ini").write_text("version = WS188\ndate = 2008-03-22\n")
    site.switch_to("again")
    eventually(lambda: b"refused_build" in refused_build(site), "the build is refused")
    assert site.feed(*GENE).body == known


@check("A release forgotten before a later one is recorded again neither by its server nor when it is published again")
def _(site):
    def difference(first):
        return site.get("/diff?" + urllib.parse.urlencode(
            {"class": GENE[0], "name": GENE[1], "from": first, "to": "WS188", "format": "json"}))

    def serve(build):
        site.switch_to(build)
        eventually(lambda: f'"release":"{build}"' in site.get("/healthz").text, f"{build} is current")

    site.expect(0, "init")
    for build in ("WS186", "WS187", "WS188"):
        site.visit(build, *GENE)
    site.start()
    known = difference("WS186")
    assert known.status == 200 and difference("WS187").status == 200, known
    serve("WS187")
    site.expect(0, "forget", "release", "WS187", "--yes")
    site.feed(*GENE)
    unseen = site.get(rss_path("Strain", "CB205"))
    assert unseen.status == 503 and int(unseen.fields["retry-after"]) > 0, unseen
    eventually(lambda: b"WS187 of" in refused_build(site), "the server notices")
    assert b'"releases","row":{"version":"WS186"' in site.expect(0, "export").stdout
    assert b'"releases","row":{"version":"WS187"' not in site.expect(0, "export").stdout
    serve("WS188")
    site.switch_to("WS187")
    eventually(lambda: b"WS187 of" in refused_build(site), "the build is refused")
    assert b" in WS187: " not in site.feed(*GENE).body
    after = difference("WS186")
    assert after.status == 200 and after.body == known.body, after
    assert difference("WS187").status == 404, difference("WS187")


@check("A build without release.ini is refused, and the old one stays in use")
def _(site):
    site.start()
    known = site.feed(*GENE).body
    folder = site.add_build("WS189", "2008-04-19", site.dump_of("WS188"))
    (folder / "release.ini").unlink()
    site.switch_to("WS189")
    eventually(lambda: b"release.ini" in refused_build(site), "the build is refused")
    assert site.feed(*GENE).body == known


@check("A dump that holds an object twice is refused with the name, and the old build stays in use")
def _(site):
    site.start()
    known = site.feed(*GENE).body
    twin = b'Gene : "WBGene00000912" -O "2004-04-07_11:29:19.3_wormpub"\n\n'
    site.add_build("WS189", "2008-04-19", with_object(site.dump_of("WS188"), twin))
    site.switch_to("WS189")
    eventually(lambda: b"WBGene00000912" in refused_build(site), "the build is refused")
    assert site.feed(*GENE).body == known


@check("The same dump as the next release waits for varve accept, and changes nothing but the release")
def _(site):
    site.start()
    before = titles_of(site.feed(*GENE))
    site.add_build("WS189", "2008-04-19", site.dump_of("WS188"))
    site.switch_to("WS189")
    eventually(lambda: b"exactly what is recorded as WS188" in refused_build(site),
               "the build is refused")
    assert b"varve accept WS189" in site.expect(1, "check").stdout
    site.expect(0, "accept", "WS189")
    eventually(lambda: b"exactly what" not in refused_build(site), "the refusal is over")
    eventually(lambda: b'"WS189"' in site.get("/healthz").body, "the new build is served")
    assert titles_of(site.feed(*GENE)) == before


@check("An object above max_object_mb is refused by name, and the others are served")
def _(site):
    big = b"".join(b'Remark\t -O "2008-04-01_10:00:00_sylvia" "%07d %s" -O "2008-04-01_10:00:00_sylvia"\n'
                   % (number, b"x" * 1000) for number in range(1100))
    large = b'Gene : "WBGene09999999" -O "2008-04-01_10:00:00_sylvia"\n' + big + b"\n"
    site.add_build("WS189", "2008-04-19", with_object(site.dump_of("WS188"), large))
    site.switch_to("WS189")
    site.write_config(source__max_object_mb="1")
    site.start()
    refused = site.expect(1, "feed", "Gene", "WBGene09999999").stderr
    assert b"WBGene09999999" in refused and b"max_object_mb" in refused, refused
    assert site.get(rss_path("Gene", "WBGene09999999")).status == 503
    assert site.get(PATH).status == 200
    for _ in range(2):
        said = site.expect(3, "prewarm", "--all")
        assert b"WS189 is recorded except 1 object" in said.stderr and b"WBGene09999999" in said.stdout, said
    site.write_config(source__max_object_mb="64")
    site.expect(0, "prewarm", "--all")


@check("The history does not depend on how often each build was requested")
def _(site):
    site.expect(0, "init")
    for build in ("WS186", "WS187", "WS188", "WS187", "WS186"):
        site.visit(build, *GENE)
    once = site.visit("WS188", *GENE)
    assert once == site.visit("WS188", *GENE)
    assert len(ElementTree.fromstring(once).findall("./channel/item")) == 3, once


@check("A site that is rolled back shows what it knew then and loses nothing")
def _(site):
    site.expect(0, "init")
    seen = {build: site.visit(build, *GENE) for build in ("WS186", "WS187", "WS188")}
    assert len(set(seen.values())) == 3, seen
    assert site.visit("WS187", *GENE) == seen["WS187"]
    assert site.visit("WS188", *GENE) == seen["WS188"]
