"""Runs the checks, each on the same three nodes. A check leaves the cluster whole; what a check that failed
leaves is mended, or replaced.

SPDX-License-Identifier: MIT
"""
import sys

import asking  # noqa: F401  each of these adds its checks to the list
import cluster
import counting  # noqa: F401
import hubs  # noqa: F401
import races  # noqa: F401
import warming  # noqa: F401
from checks import SECONDS_FOR_ONE_CHECK, run_all
from world import World


class Worlds:
    """The world that checks get one after another."""

    def __init__(self):
        self.world = None

    def run(self, function):
        world = self._whole()
        try:
            function(world)
        except Exception as failure:
            failure.args = (*failure.args, world.logs())
            raise
        finally:
            world.end_servers()

    def _whole(self):
        """Returns the world with all its nodes, or a new one when they cannot be brought back."""
        if self.world:
            try:
                self.world.cluster.heal()
                return self.world
            except AssertionError:
                self.close()
        self.world = World()
        return self.world.start()

    def close(self):
        if self.world:
            self.world.close()
            self.world = None


if __name__ == "__main__":
    cluster.adopt_orphans()
    worlds = Worlds()
    sys.exit(run_all(sys.argv[1:], worlds.run, seconds=SECONDS_FOR_ONE_CHECK * warming.ROUNDS, at_end=worlds.close))
