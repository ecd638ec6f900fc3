"""Runs the checks: each prints "ok - sentence" or "not ok - sentence" and why. Two processes share
the checks, a file of them at a time: what the checks of one file have in common is made once.

SPDX-License-Identifier: MIT
"""
import itertools
import multiprocessing
import signal
import sys
import time
import traceback

import ace_sites  # noqa: F401  each of these adds its checks to the list
import aceperl_xml  # noqa: F401
import attacks
import checks
import commands  # noqa: F401
import digest  # noqa: F401
import faults  # noqa: F401
import harvest  # noqa: F401
import hub  # noqa: F401
import installed  # noqa: F401
import job
import newcomer  # noqa: F401
import nginx  # noqa: F401
import operators  # noqa: F401
import release_choice  # noqa: F401
import release_job  # noqa: F401
import reload  # noqa: F401
import requesting  # noqa: F401
import slow_clients  # noqa: F401
import sources_demo  # noqa: F401
import switching  # noqa: F401
import tace_sites  # noqa: F401

SECONDS_FOR_ONE_CHECK = 180 * attacks.ROUNDS
PROCESSES = 2
# The files whose checks take longest; they start first.
LONGEST_FIRST = ("release_job", "ace_sites", "tace_sites")


def out_of_time(_signal, _frame):
    raise AssertionError(f"not done in {SECONDS_FOR_ONE_CHECK} s")


def run(check, printing):
    """Returns True when it passed."""
    started = time.monotonic()
    signal.alarm(SECONDS_FOR_ONE_CHECK)
    try:
        check.run()
        verdict, why = "ok", ""
    except Exception:  # any failure of a check is its verdict, the next one runs all the same
        verdict, why = "not ok", "    " + traceback.format_exc(limit=-4).replace("\n", "\n    ") + "\n"
    finally:
        signal.alarm(0)
    with printing:
        print(f"{verdict} - {check.sentence} ({time.monotonic() - started:.1f} s)\n{why}", end="", flush=True)
    return verdict == "ok"


def run_files(files, next_file, passed, printing):
    """Runs the checks of one file after another, until another process has started the last one."""
    signal.signal(signal.SIGALRM, out_of_time)
    try:
        while True:
            with next_file.get_lock():
                number = next_file.value
                next_file.value += 1
            if number >= len(files):
                return
            done = sum(run(check, printing) for check in files[number])
            with passed.get_lock():
                passed.value += done
    finally:
        checks.close_shared_sites()
        job.close_shared()


def files_of(chosen):
    """Returns the checks of each file in order."""
    def place(name):
        return LONGEST_FIRST.index(name) if name in LONGEST_FIRST else len(LONGEST_FIRST)
    named = itertools.groupby(chosen, key=lambda check: check.function.__module__)
    files = [(name, list(group)) for name, group in named]
    return [group for name, group in sorted(files, key=lambda each: place(each[0]))]


def main(pattern=""):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    chosen = [check for check in checks.ALL if pattern in check.sentence]
    next_file, passed = multiprocessing.Value("i", 0), multiprocessing.Value("i", 0)
    arguments = (files_of(chosen), next_file, passed, multiprocessing.Lock())
    workers = [multiprocessing.Process(target=run_files, args=arguments) for _ in range(PROCESSES)]
    for worker in workers:
        worker.start()
    try:
        for worker in workers:
            worker.join()
    finally:
        for worker in workers:
            worker.terminate()
            worker.join()
    return 0 if chosen and passed.value == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
