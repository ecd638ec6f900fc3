#!/usr/bin/env python3
"""Debian's Packages indexes as a build for Varve: JSON Lines on standard output.

    packages_to_jsonl.py [FILE...]     plain, gzip or xz; without FILE: standard input

Class Package, and class Source with the packages built from it. A package that stands in the
indexes more than once (architectures, a security archive beside the main one) is taken in its
newest version; of two equal ones, the first.

SPDX-License-Identifier: MIT
"""
import gzip
import io
import json
import lzma
import re
import sys

RELATIONS = ("Pre-Depends", "Depends", "Recommends", "Suggests", "Enhances", "Breaks", "Conflicts",
             "Replaces", "Provides")
TEXTS = ("Architecture", "Multi-Arch", "Essential", "Section", "Priority", "Maintainer", "Homepage",
         "Description")
NUMBERS = ("Installed-Size", "Size")
# "python3:any (>= 3.11)": a name, then an architecture, then a bound; the last two may be missing.
RELATION = re.compile(r"([^\s:(]+)(:[\w-]+)?\s*(\([^)]*\))?")


# ---- the index ----

def stanzas(file):
    """Each stanza as {field: text}; a continued line keeps its LF and loses its first blank."""
    fields, name = {}, None
    for line in file:
        line = line.rstrip("\r\n")
        if line[:1] in (" ", "\t"):
            if name is not None:
                fields[name] += "\n" + line[1:]
        elif line:
            name, _, value = line.partition(":")
            fields[name] = value.strip()
        elif fields:
            yield fields
            fields, name = {}, None
    if fields:
        yield fields


def open_index(file):
    """Its text, whatever it is packed with. Bytes that are no UTF-8 become U+FFFD."""
    head = file.peek(6)[:6]
    if head.startswith(b"\x1f\x8b"):
        file = gzip.open(file)
    elif head == b"\xfd7zXZ\0":
        file = lzma.open(file)
    return io.TextIOWrapper(file, encoding="utf-8", errors="replace", newline="\n")


# ---- versions, as deb-version(7) orders them ----

def weight(character):
    return -1 if character == "~" else ord(character) + (0 if character.isalpha() else 256)


def part_order(part):
    return [((*map(weight, text), 0), int(digits or 0))
            for text, digits in re.findall(r"([^0-9]*)([0-9]*)", part)]


def version_order(version):
    """A key to sort by."""
    epoch, colon, rest = version.partition(":")
    upstream, dash, revision = (rest if colon else version).rpartition("-")
    if not dash:
        upstream, revision = revision, "0"
    return (int(epoch) if colon else 0), part_order(upstream), part_order(revision)


# ---- the tree ----

def tag(name, children):
    return {"tag": name, "children": children}


def relation(text):
    """One alternative: the package named, and below it what the relation asks of it."""
    name, architecture, bound = RELATION.match(text.strip()).groups()
    node = {"class": "Package", "name": name}
    asked = [{"text": value} for value in (architecture, bound) if value]
    return node | {"children": asked} if asked else node


def relations(field):
    """A node for each package of "a (>= 1), b | c"; alternatives stand below the first one."""
    nodes = []
    for text in filter(str.strip, field.split(",")):
        first, *others = map(relation, text.split("|"))
        if others:
            first["children"] = first.get("children", []) + [tag("Or", others)]
        nodes.append(first)
    return nodes


def source_of(package):
    """Name and version of "Source: curl (7.88.1-10)"; both default to the package's own."""
    name, _, version = package.get("Source", package["Package"]).partition(" ")
    return name, version.strip("()") or package["Version"]


def package_tree(package):
    tree = [tag("Version", [{"text": package["Version"]}]),
            tag("Source", [{"class": "Source", "name": source_of(package)[0]}])]
    tree += [tag(field, relations(package[field])) for field in RELATIONS if package.get(field)]
    tree += [tag(field, [{"text": package[field]}]) for field in TEXTS if package.get(field)]
    tree += [tag(field, [{"int": int(package[field])}]) for field in NUMBERS if package.get(field)]
    return tree


def source_tree(packages):
    newest = max((source_of(package)[1] for package in packages), key=version_order)
    return [tag("Version", [{"text": newest}]),
            tag("Binary", [{"class": "Package", "name": package["Package"]} for package in packages])]


# ---- the build ----

def newest_packages(files):
    newest = {}
    for file in files:
        for package in stanzas(open_index(file)):
            name = package["Package"]
            if (name not in newest or
                    version_order(newest[name]["Version"]) < version_order(package["Version"])):
                newest[name] = package
    return newest


def main(paths):
    files = (open(path, "rb") for path in paths) if paths else [sys.stdin.buffer]
    packages = newest_packages(files)
    sources = {}
    for package in packages.values():
        sources.setdefault(source_of(package)[0], []).append(package)
    objects = [("Package", name, package_tree(package)) for name, package in packages.items()]
    objects += [("Source", name, source_tree(built)) for name, built in sources.items()]
    for class_name, name, tree in objects:
        print(json.dumps({"class": class_name, "name": name, "tree": tree}))


if __name__ == "__main__":
    main(sys.argv[1:])
