"""main.py [--bless] [PATTERN] -- the checks whose sentence holds PATTERN, or the blessing of the
golden cases whose file does.

SPDX-License-Identifier: MIT
"""
import json
import subprocess
import sys

import comparer_checks  # noqa: F401  adds its checks to the list
import golden
import hub_checks  # noqa: F401
import reader_checks  # noqa: F401
import rendered
from checks import run_all
from site_of_varve import HERE

SECONDS_FOR_PAGES = 900


def run_pages(pattern):
    """Runs the checks in a browser, which print lines of their own."""
    ports = {name: golden.asked(name).world.port for name in ("sample", "many", "hostile", "feeds")}
    ports["tunnel"] = ports["sample"]
    process = subprocess.Popen(["node", str(HERE / "clients" / "pages.mjs"), json.dumps(ports), pattern])
    try:
        return process.wait(SECONDS_FOR_PAGES) == 0
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()


def main(arguments):
    blesses = arguments[:1] == ["--bless"]
    pattern = arguments[blesses] if len(arguments) > blesses else ""
    try:
        if blesses:
            golden.bless(pattern)
            rendered.bless(pattern)
            return 0
        golden.register()
        failed = run_all([pattern])
        return 0 if run_pages(pattern) and not failed else 1
    finally:
        golden.close_worlds()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
