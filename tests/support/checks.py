"""Checks in Python: a list of them, and the running of those that were chosen. Each prints a line,
"ok - sentence (1.2 s)" or "not ok - sentence (1.2 s)" with the reason below it, for tests/run to count.

    @check("A sentence that says what holds")
    def _(world):
        assert …

    sys.exit(run_all(sys.argv[1:], lambda function: function(world)))

A check marked nightly=True runs where NIGHTLY is set, and when a pattern chooses it.

SPDX-License-Identifier: MIT
"""
import difflib
import itertools
import multiprocessing
import os
import signal
import sys
import time
import traceback

# For a check that hangs. No check is meant to come near it, however busy the machine is.
SECONDS_FOR_ONE_CHECK = 300
_all = []


class Check:
    def __init__(self, sentence, function, on, nightly):
        self.sentence = sentence
        self.function = function
        self.on = on
        self.nightly = nightly


def check(sentence, *, on=None, nightly=False):
    """on is what calls the function, where that is not what run_all() is given."""
    return lambda function: _all.append(Check(sentence, function, on, nightly))


def same(got, wanted, what=""):
    """Complains about the lines in which two lists differ."""
    if got == wanted:
        return
    lines = difflib.unified_diff([str(each) for each in wanted], [str(each) for each in got],
                                 "wanted", "got", lineterm="", n=1)
    raise AssertionError("\n".join([what, *(line[:400] for line in list(lines)[:60])]))


def _chosen(pattern):
    is_night = bool(os.environ.get("NIGHTLY"))
    return [each for each in _all if pattern in each.sentence and (pattern or is_night or not each.nightly)]


def _run(each, call, seconds, printing):
    """Returns True when it passed."""
    def out_of_time(_signal, _frame):
        raise AssertionError(f"not done in {seconds} s")

    started, why = time.monotonic(), ""
    signal.signal(signal.SIGALRM, out_of_time)
    signal.alarm(seconds)
    try:
        (each.on or call)(each.function)
    except Exception:  # any failure of a check is its verdict, the next one runs all the same
        why = "    " + traceback.format_exc(limit=-4).replace("\n", "\n    ") + "\n"
    finally:
        signal.alarm(0)
    verdict = "not ok" if why else "ok"
    with printing:
        print(f"{verdict} - {each.sentence} ({time.monotonic() - started:.1f} s)\n{why}", end="", flush=True)
    return not why


def _files_of(chosen, longest_first):
    """Returns the checks of each file in order, those of the files named first."""
    def place(file):
        return longest_first.index(file) if file in longest_first else len(longest_first)
    named = itertools.groupby(chosen, key=lambda each: each.function.__module__)
    files = [(file, list(group)) for file, group in named]
    return [group for file, group in sorted(files, key=lambda each: place(each[0]))]


def _run_side_by_side(files, processes, run, at_end):
    """Processes share the checks, a file of them at a time: what the checks of one file have in common
    is made once. Returns how many passed."""
    next_file, passed = multiprocessing.Value("i", 0), multiprocessing.Value("i", 0)

    def work():
        try:
            while True:
                with next_file.get_lock():
                    number = next_file.value
                    next_file.value += 1
                if number >= len(files):
                    return
                done = sum(run(each) for each in files[number])
                with passed.get_lock():
                    passed.value += done
        finally:
            at_end()

    workers = [multiprocessing.Process(target=work) for _ in range(processes)]
    for worker in workers:
        worker.start()
    try:
        for worker in workers:
            worker.join()
    finally:
        for worker in workers:
            worker.terminate()
            worker.join()
    return passed.value


def run_all(arguments=(), call=lambda function: function(), *, seconds=SECONDS_FOR_ONE_CHECK, processes=1,
            longest_first=(), at_end=lambda: None):
    """Runs the checks whose sentence holds the first argument. Returns the status to exit with, 0 when all passed;
    tests/run complains of a program that ran none.
        call           is given a check's function and calls it with what the checks of the program get
        processes      run side by side, a file of checks at a time; longest_first names files
        at_end         is called when a process has done its last check"""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    chosen = _chosen(arguments[0] if arguments else "")
    printing = multiprocessing.Lock()

    def run(each):
        return _run(each, call, seconds, printing)

    if processes > 1:
        passed = _run_side_by_side(_files_of(chosen, longest_first), processes, run, at_end)
    else:
        try:
            passed = sum(run(each) for each in chosen)
        finally:
            at_end()
    return 0 if passed == len(chosen) else 1
