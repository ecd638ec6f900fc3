"""Runs the end-to-end checks. Two processes share them, a file of them at a time: what the checks of one
file have in common is made once.

SPDX-License-Identifier: MIT
"""
import sys

import ace_sites  # noqa: F401  each of these adds its checks to the list
import apache  # noqa: F401
import attacks
import commands  # noqa: F401
import digest  # noqa: F401
import faults  # noqa: F401
import harvest  # noqa: F401
import installed  # noqa: F401
import job
import nginx  # noqa: F401
import operators  # noqa: F401
import release_choice  # noqa: F401
import release_job  # noqa: F401
import reload  # noqa: F401
import sites
import slow_clients  # noqa: F401
import sources_demo  # noqa: F401
import switching  # noqa: F401
from checks import SECONDS_FOR_ONE_CHECK, run_all

# The files whose checks take longest; they start first.
LONGEST_FIRST = ("release_job", "ace_sites")


def close_what_is_shared():
    sites.close_shared_sites()
    job.close_shared()


if __name__ == "__main__":
    sys.exit(run_all(sys.argv[1:], sites.own, seconds=SECONDS_FOR_ONE_CHECK * attacks.ROUNDS, processes=2,
                     longest_first=LONGEST_FIRST, at_end=close_what_is_shared))
