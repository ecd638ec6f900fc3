"""The list of checks and the sites that they get.

SPDX-License-Identifier: MIT
"""
from site_of_varve import Site

ALL = []
_shared = {}


class Check:
    def __init__(self, sentence, function, make_site):
        self.sentence = sentence
        self.function = function
        self.make_site = make_site

    def run(self):
        self.make_site(self.function)


def _own(function):
    site = Site()
    try:
        function(site)
    except Exception as failure:
        failure.args = (*failure.args, site.logs())
        raise
    finally:
        site.close()


def _served(function):
    """One running site for all checks that only ask, after requests on each sample build."""
    if "site" not in _shared:
        site = Site()
        _shared["site"] = site
        site.expect(0, "init")
        for build in ("WS186", "WS187"):
            for class_name, name in VISITED:
                site.visit(build, class_name, name)
        site.start()
    function(_shared["site"])


VISITED = [("Gene", "WBGene00006763"), ("Paper", "WBPaper00031000"), ("Phenotype", "WBPhenotype:0001213")]


def check(sentence):
    """A check with a site of its own that is built and not started."""
    return lambda function: ALL.append(Check(sentence, function, _own))


def check_served(sentence):
    """A check on the shared running site, which it does not change."""
    return lambda function: ALL.append(Check(sentence, function, _served))


def close_shared_sites():
    while _shared:
        _shared.popitem()[1].close()
