"""examples/debian-packages as in its README: the exporter, two releases, their feeds.

SPDX-License-Identifier: MIT
"""
import gzip
import json
import lzma
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

from checks import check
from site_of_varve import COMMAND_SECONDS, EXAMPLES, PROGRAM

DEBIAN = EXAMPLES / "debian-packages"
EXPORTER = DEBIAN / "packages_to_jsonl.py"
INDEXES = [DEBIAN / "indexes" / "bookworm.Packages", DEBIAN / "indexes" / "bookworm-security.Packages"]
NEW = "bookworm-2026-11"


def run_exporter(*files, **options):
    return subprocess.run([sys.executable, str(EXPORTER), *map(str, files)], timeout=COMMAND_SECONDS,
                          capture_output=True, check=True, **options).stdout


def run_demo(site):
    """Makes the demo's folder that of the site."""
    site.folder = site.folder / "debian"
    done = subprocess.run([str(DEBIAN / "demo"), str(site.folder)], env={**os.environ, "VARVE": str(PROGRAM)},
                          timeout=COMMAND_SECONDS, capture_output=True, check=False)
    assert done.returncode == 0, done
    site.builds = site.folder / "builds"


def objects_of(lines):
    return {(line["class"], line["name"]): line["tree"] for line in map(json.loads, lines.splitlines())}


def recorded_kinds(site):
    """Returns {(class, name): kind} of the newer release's rows, from an export of the store."""
    rows = [json.loads(line) for line in site.expect(0, "export").stdout.splitlines()]
    names = {row["row"]["oid"]: (row["row"]["class"], row["row"]["name"]) for row in rows
             if row.get("table") == "objects"}
    return {names[row["row"]["oid"]]: row["row"]["kind"] for row in rows
            if row.get("table") == "history" and row["row"]["version"] == NEW}


@check("The Debian packages demo records what differs between its two indexes, but for ignored sizes")
def _(site):
    run_demo(site)
    old, new = objects_of(run_exporter(INDEXES[0])), objects_of(run_exporter(*INDEXES))
    recorded = recorded_kinds(site)
    assert {key for key, kind in recorded.items() if kind == "created"} == new.keys() - old.keys(), recorded
    assert recorded[("Package", "apache2")] == "changed" and ("Package", "curl") not in recorded, recorded


@check("The feed of a demo package shows its versions and links the packages it names")
def _(site):
    run_demo(site)
    feed = site.expect(0, "feed", "Package", "linux-image-amd64").stdout
    (item,) = ElementTree.fromstring(feed).iter("item")
    text = item.findtext("description")
    assert "<del>6.1.176-1</del> → <ins>6.1.192-2</ins>" in text, text
    assert '/history?class=Package&amp;name=linux-image-6.1.0-56-amd64">' in text, text
    assert b"Size" not in site.expect(0, "feed", "Package", "apache2").stdout
    assert b"Installed-Size" in site.expect(0, "show", "Package", "apache2").stdout


def shown_commands(text):
    """Returns each "$ varve …" of the indented blocks, with the lines shown below it."""
    for block in re.split(r"(?m)^(?!    |$).*$", text):
        for command in re.split(r"(?m)^    \$ ", block)[1:]:
            line, _, output = command.partition("\n")
            if line.startswith("varve "):
                yield line.split()[1:], re.sub("(?m)^    ", "", output).strip("\n")


@check("The README of the Debian demo shows what the commands print")
def _(site):
    run_demo(site)
    shown = list(shown_commands((DEBIAN / "README.md").read_text()))
    assert len(shown) >= 2, shown
    for command, output in shown:
        done = site.run(*command)
        assert done.stdout.decode().strip("\n") == output, (command, done)


@check("The exporter for Debian's indexes reads packed files and pipes, and takes the newest versions")
def _(site):
    plain = INDEXES[0].read_bytes()
    expected = run_exporter(INDEXES[0])
    assert len(expected.splitlines()) > 42
    for packed in (gzip.compress(plain), lzma.compress(plain), plain):
        (site.folder / "index").write_bytes(packed)
        assert run_exporter(site.folder / "index") == expected
        assert run_exporter(input=packed) == expected
    versions = ["1.0~rc1", "1.0", "1.0-1", "1.0-1+b1", "1.0.1", "1.0a", "1.9", "1.10", "1:0.1"]
    for order in (versions, versions[::-1]):
        stanzas = "".join(f"Package: x\nVersion: {version}\n\n" for version in order)
        (package, source) = objects_of(run_exporter(input=stanzas.encode())).values()
        assert package[0]["children"] == source[0]["children"] == [{"text": "1:0.1"}], package
    stanza = b"Package: x\nVersion: 1\nDepends: a (>= 1) | b, c:any (<< 2), d\n"
    depends = objects_of(run_exporter(input=stanza))["Package", "x"][2]["children"]
    b = {"class": "Package", "name": "b"}
    assert depends == [
        {"class": "Package", "name": "a", "children": [{"text": "(>= 1)"}, {"tag": "Or", "children": [b]}]},
        {"class": "Package", "name": "c", "children": [{"text": ":any"}, {"text": "(<< 2)"}]},
        {"class": "Package", "name": "d"}], depends
