"""Builds in XML written by AcePerl: two releases of a server, fetched and opened as files.

SPDX-License-Identifier: MIT
"""
import gzip
import os
import shutil
import subprocess

from ace_peers import DATES, EXAMPLES, PASSWORD, AceServer
from checks import check
from site_of_varve import HERE

CLASSES = ["Strain", "Gene", "Paper", "Variation", "Person", "Phenotype", "Expr_pattern", "Sequence"]


def xml_of(server):
    done = subprocess.run(["perl", str(HERE / "as_xml.pl"), str(server.port), *CLASSES], capture_output=True,
                          timeout=100, check=False, env={**os.environ, "ACE_PASSWORD": PASSWORD})
    assert done.returncode == 0 and done.stdout, done.stderr
    return done.stdout


def put_build(site, name, xml, pack):
    folder = site.builds / f"xml-{name}"
    folder.mkdir()
    shutil.copy(EXAMPLES / "builds" / "WS188" / "models.wrm", folder)
    (folder / "release.ini").write_text(f"version = {name}\ndate = {DATES[name]}\n")
    (folder / ("objects.xml.gz" if pack else "objects.xml")).write_bytes(gzip.compress(xml) if pack else xml)
    return folder.name


@check("The output of AcePerl's asXML is a build, packed or not, and two such builds can be compared")
def _(site):
    site.expect(0, "init")
    recorded = ["--recorded", str(HERE / "formats")]  # of WS188
    for name, pack, options in (("WS187", True, []), ("WS188", False, recorded)):
        with AceServer(name, *options) as server:
            site.write_config(path=f"builds/{put_build(site, name, xml_of(server), pack)}")
        checked = site.expect(0, "check").stdout
        assert name.encode() in checked and b"8 classes" in checked, checked
        feed = site.expect(0, "feed", "--", "Strain", "CB205").stdout
    shown = site.expect(0, "show", "--", "Strain", "CB205").stdout
    for words in (b"unc-26(e205) IV.", b'He said: "50%', b"inside it", b"WBGene00006763", b"52.205"):
        assert words in shown, (words, shown)
    assert b"CB205 in WS188: " in feed, feed[:3000]
