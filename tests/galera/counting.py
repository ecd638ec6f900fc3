"""Many writers of one row, on all nodes at once: a test of the room store/ that needs a cluster.

SPDX-License-Identifier: MIT
"""
import subprocess

from checks import check
from site_of_varve import HERE


@check("Of writers on three nodes that change one row, none writes a part of its transaction")
def _(world):
    database = world.cluster.create_database()
    nodes = " ".join(world.cluster.url(database, number) for number in (1, 2, 3))
    done = subprocess.run([HERE / "test-store", "[galera]", "--warn", "NoTests"], env={"VARVE_NODES": nodes}, timeout=150,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
