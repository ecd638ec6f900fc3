"""What all checks share: the cluster, the site with its builds, and the content of an SQLite store in
which nothing ever fails, answers and holds.

SPDX-License-Identifier: MIT
"""
import re

import tables
from cluster import Cluster
from readers import page_of
from site_of_varve import Site, rss_path
from web import Web

RELEASES = ("WS186", "WS187", "WS188")


def objects_in(dump):
    """Returns class and name of each tracked object of a dump."""
    found = re.findall(rb'(?m)^(\w+) : "([^"\\\n]+)"', dump)
    return [(class_name.decode(), name.decode()) for class_name, name in found
            if class_name != b"UserSession"]


def objects_of(site, proteins):
    """Returns the objects of WS188 with only some of the many proteins."""
    named = objects_in(site.dump_of("WS188"))
    return ([each for each in named if each[0] != "Protein"] +
            [each for each in named if each[0] == "Protein"][:proteins])


class World:
    def __init__(self):
        self.cluster = Cluster()
        self.site = Site()
        self.webs = []
        self.references = {}
        self.undisturbed = None  # of the checks of the release job

    def start(self):
        self.cluster.start()
        return self

    def new_database(self):
        """Makes an empty store of Varve in the cluster and returns its name."""
        database = self.cluster.create_database()
        self.site.write_config("init.conf", store__url=self.cluster.url(database))
        self.site.expect(0, "init", config="init.conf")
        self.cluster.catch_up()
        return database

    def serve(self, database, *order, cache_mb=0, **config):
        """Starts `varve serve` over the nodes in this order."""
        name = f"web{len(self.webs)}"
        self.webs.append(Web(self.site, name, self.cluster.url(database, *order), cache_mb, **config))
        return self.webs[-1]

    def publish(self, version):
        """Makes the release current and waits until every server serves it."""
        self.site.switch_to(version)
        for web in self.webs:
            web.wait_for(version)

    def reference(self, paths, releases=RELEASES):
        """Returns the pages after requests for all paths in each release in turn, and the tables then."""
        key = (tuple(paths), releases)
        if key not in self.references:
            self.references[key] = self.made_on_sqlite(paths, releases)
        return self.references[key]

    def made_on_sqlite(self, paths, releases):
        store = self.site.folder / "var" / "reference.db"
        url = f"sqlite:{store}"
        self.site.write_config("init.conf", store__url=url)
        self.site.expect(0, "init", config="init.conf")
        self.site.switch_to(releases[0])
        web = Web(self.site, "reference", url)
        try:
            for version in releases:
                self.site.switch_to(version)
                web.wait_for(version)
                pages = {path: page_of(web.get(path)) for path in paths}
        finally:
            web.close()
        made = pages, tables.in_sqlite(store)
        store.unlink()
        return made

    def end_servers(self):
        while self.webs:
            self.webs.pop().close()

    def logs(self):
        of_webs = "\n".join(f"---- {web.config.name}\n{web.log_tail()}" for web in self.webs)
        return self.cluster.logs() + of_webs

    def close(self):
        self.end_servers()
        self.cluster.close()
        self.site.close()


def paths_of(objects):
    return [rss_path(*each) for each in objects]
