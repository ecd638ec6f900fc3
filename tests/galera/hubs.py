"""Three hubs over the nodes of a cluster, of which one is killed in the middle of deliveries.

SPDX-License-Identifier: MIT
"""
from checks import check
from cluster import end_with_parent
from three_hubs import Hub, expect_all_delivered
from warming import RELEASES, job_on, undisturbed


@check("Three hubs, of which one is killed in the middle, deliver everything to everybody, and nothing recorded twice")
def _(world):
    undisturbed(world)  # makes the builds
    database = world.new_database()
    for release in RELEASES:
        world.publish(release)
        job_on(world.site, release, world.cluster.url(database, 3, 1, 2)).expect_done()

    def start_hubs():
        return [Hub(world.site, f"hub{order[0]}", world.cluster.url(database, *order), preexec_fn=end_with_parent)
                for order in ((1, 2, 3), (2, 3, 1), (3, 1, 2))]

    expect_all_delivered(world.site, lambda sql: world.cluster.nodes[2].tell(sql, database).splitlines(),
                         start_hubs, RELEASES[1])
