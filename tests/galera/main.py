"""Runs the checks, each on the same three nodes: prints "ok - sentence" or "not ok - sentence" and
why. A check leaves the cluster whole; what a check that failed leaves is mended, or replaced.

SPDX-License-Identifier: MIT
"""
import signal
import sys
import time
import traceback

import asking  # noqa: F401  each of these adds its checks to the list
import checks
import cluster
import counting  # noqa: F401
import hostile_texts  # noqa: F401
import hubs  # noqa: F401
import republishing  # noqa: F401
import warming  # noqa: F401
from world import World

SECONDS_FOR_ONE_CHECK = 180 * warming.ROUNDS


def out_of_time(_signal, _frame):
    raise AssertionError(f"not done in {SECONDS_FOR_ONE_CHECK} s")


def ready(world):
    """Returns the world with all its nodes, or a new one when they cannot be brought back."""
    if world is None:
        return World().start()
    try:
        world.cluster.heal()
        return world
    except AssertionError:
        world.close()
        return World().start()


def run(check, world):
    """Returns True when it passed."""
    started = time.monotonic()
    signal.alarm(SECONDS_FOR_ONE_CHECK)
    try:
        check.function(world)
        verdict, why = "ok", ""
    except Exception:  # any failure of a check is its verdict, the next one runs all the same
        why = traceback.format_exc(limit=-4) + world.logs()
        verdict, why = "not ok", "    " + why.replace("\n", "\n    ") + "\n"
    finally:
        signal.alarm(0)
        world.end_servers()
    print(f"{verdict} - {check.sentence} ({time.monotonic() - started:.1f} s)\n{why}", end="", flush=True)
    return verdict == "ok"


def main(pattern=""):
    signal.signal(signal.SIGALRM, out_of_time)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    cluster.adopt_orphans()
    chosen = [check for check in checks.ALL if pattern in check.sentence]
    world, passed = None, 0
    try:
        for check in chosen:
            world = ready(world)
            passed += run(check, world)
    finally:
        if world:
            world.close()
    return 0 if chosen and passed == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
