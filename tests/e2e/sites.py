"""The sites that checks get.

SPDX-License-Identifier: MIT
"""
from checks import check
from site_of_varve import Site

_shared = {}


def own(function):
    """A site of its own, built and not started."""
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


def check_served(sentence):
    """A check on the shared running site, which it does not change."""
    return check(sentence, on=_served)


def close_shared_sites():
    while _shared:
        _shared.popitem()[1].close()
