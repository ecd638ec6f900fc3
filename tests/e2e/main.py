"""Runs the checks: each prints "ok - sentence" or "not ok - sentence" and why.

SPDX-License-Identifier: MIT
"""
import signal
import sys
import time
import traceback

import ace_sites  # noqa: F401  each of these adds its checks to the list
import aceperl_xml  # noqa: F401
import checks
import commands  # noqa: F401
import faults  # noqa: F401
import installed  # noqa: F401
import job
import newcomer  # noqa: F401
import nginx  # noqa: F401
import operators  # noqa: F401
import release_choice  # noqa: F401
import release_job  # noqa: F401
import reload  # noqa: F401
import requesting  # noqa: F401
import sources_demo  # noqa: F401
import switching  # noqa: F401
import tace_sites  # noqa: F401

SECONDS_FOR_ONE_CHECK = 180


def out_of_time(_signal, _frame):
    raise AssertionError(f"not done in {SECONDS_FOR_ONE_CHECK} s")


def run(check):
    """True when it passed."""
    started = time.monotonic()
    signal.alarm(SECONDS_FOR_ONE_CHECK)
    try:
        check.run()
        verdict, why = "ok", ""
    except Exception:  # any failure of a check is its verdict, the next one runs all the same
        verdict, why = "not ok", "    " + traceback.format_exc(limit=-4).replace("\n", "\n    ") + "\n"
    finally:
        signal.alarm(0)
    print(f"{verdict} - {check.sentence} ({time.monotonic() - started:.1f} s)\n{why}", end="", flush=True)
    return verdict == "ok"


def main(pattern=""):
    signal.signal(signal.SIGALRM, out_of_time)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    chosen = [check for check in checks.ALL if pattern in check.sentence]
    try:
        passed = sum(run(check) for check in chosen)
    finally:
        checks.close_shared_sites()
        job.close_shared()
    return 0 if chosen and passed == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
