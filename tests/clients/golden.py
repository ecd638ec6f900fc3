"""The golden cases as checks, and how they are blessed.

SPDX-License-Identifier: MIT
"""
import base64

import cases
import ways
from checks import check
from world import CASES, World

_worlds = {}


class Asked:
    """A world with its ways, and what its cases may name in braces."""

    def __init__(self, name):
        self.world = World(name).start()
        self.http = ways.Http(self.world)
        self.ways = [self.http, ways.Cgi(self.world)]
        self.known = _tokens(self.world)


def _tokens(world):
    """For a private site: {token}, and {password} as HTTP Basic sends it."""
    if not world.is_private:
        return {}
    token = world.expect(0, "token", "add", "reader").stdout.decode().strip()
    gone = world.expect(0, "token", "add", "former").stdout.decode().strip()
    world.expect(0, "token", "revoke", "former")
    return {"token": token, "revoked": gone, "password": base64.b64encode(f"anybody:{token}".encode()).decode()}


def asked(name):
    if name not in _worlds:
        _worlds[name] = Asked(name)
    return _worlds[name]


def close_worlds():
    while _worlds:
        _worlds.popitem()[1].world.close()


def _run(name, case):
    there = asked(name)
    for way in there.ways:
        if not case.goes(way):
            continue
        try:
            cases.judge(case, cases.ask(case, way, there.known), there.known)
        except Exception as failure:
            failure.args = (f"{way.name}: {failure}",)
            raise


def _each():
    for file in sorted(CASES.glob("*/*.case")):
        yield file, cases.parse_cases(file.read_text())


def register():
    for file, found in _each():
        for case in found:
            sentence = f"case {file.parent.name}/{file.stem}: {case.sentence}"
            check(sentence)(lambda name=file.parent.name, case=case: _run(name, case))


def bless(pattern=""):
    """Writes the site's answers into every case whose path contains `pattern`."""
    for file, found in _each():
        if pattern not in str(file):
            continue
        there = asked(file.parent.name)
        blessed = [cases.bless(case, cases.ask(case, there.http, there.known), there.known) for case in found]
        texts = [cases.case_to_text(case) for case in blessed]
        file.write_text(cases.SEPARATOR.join(texts))
        print(f"blessed {file.parent.name}/{file.name}: {len(texts)} cases")
