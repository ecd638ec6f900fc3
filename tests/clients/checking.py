"""The list of checks and the running of one: "ok - sentence", or "not ok - sentence" and why.

SPDX-License-Identifier: MIT
"""
import signal
import sys
import time
import traceback

SECONDS_FOR_ONE_CHECK = 120
ALL = []


def check(sentence):
    return lambda function: ALL.append((sentence, function))


def same(got, wanted, what=""):
    """Complains about the lines in which two lists differ."""
    if got == wanted:
        return
    import difflib
    lines = difflib.unified_diff([str(each) for each in wanted], [str(each) for each in got],
                                 "wanted", "got", lineterm="", n=1)
    raise AssertionError("\n".join([what, *(line[:400] for line in list(lines)[:60])]))


def _out_of_time(_signal, _frame):
    raise AssertionError(f"not done in {SECONDS_FOR_ONE_CHECK} s")


def _run(sentence, function):
    started = time.monotonic()
    signal.alarm(SECONDS_FOR_ONE_CHECK)
    try:
        function()
        verdict, why = "ok", ""
    except AssertionError as failure:
        verdict, why = "not ok", "    " + str(failure).replace("\n", "\n    ") + "\n"
    except Exception:  # any failure of a check is its verdict, the next one runs all the same
        verdict, why = "not ok", "    " + traceback.format_exc(limit=-4).replace("\n", "\n    ") + "\n"
    finally:
        signal.alarm(0)
    print(f"{verdict} - {sentence} ({time.monotonic() - started:.1f} s)\n{why}", end="", flush=True)
    return verdict == "ok"


def run_all(pattern=""):
    """Returns True when all that ran passed; tests/run complains when nothing ran."""
    signal.signal(signal.SIGALRM, _out_of_time)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    chosen = [(sentence, function) for sentence, function in ALL if pattern in sentence]
    verdicts = [_run(sentence, function) for sentence, function in chosen]
    return all(verdicts)
