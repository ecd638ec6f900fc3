"""main.py [--bless] [PATTERN] -- the checks whose sentence holds PATTERN, or the blessing of the
golden cases whose file does.

SPDX-License-Identifier: MIT
"""
import sys

import checking
import comparer_checks  # noqa: F401  adds its checks to the list
import golden


def main(arguments):
    blesses = arguments[:1] == ["--bless"]
    pattern = arguments[blesses] if len(arguments) > blesses else ""
    try:
        if blesses:
            golden.bless(pattern)
            return 0
        golden.register()
        return 0 if checking.run_all(pattern) else 1
    finally:
        golden.close_worlds()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
