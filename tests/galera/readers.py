"""Clients that request pages from servers while nodes fail, and judge each answer.

SPDX-License-Identifier: MIT
"""
import random
import re
import threading
import time
import xml.etree.ElementTree as ElementTree

from site_of_varve import eventually


def page_of(reply):
    """Returns the page without the time at which the rows were recorded."""
    return re.sub(rb"<lastBuildDate>[^<]*</lastBuildDate>", b"", reply.body)


def recorded_page(reply):
    """Returns the page, or None if what it is about could not be recorded in the time that a request has."""
    is_final = reply.status == 404 or reply.status == 200 and "max-age=3600" in reply.fields["cache-control"]
    return page_of(reply) if is_final else None


def page_once_recorded(web, path):
    """Requests it until what it is about is recorded, however slow the store is meanwhile. Returns the page."""
    return eventually(lambda: recorded_page(web.get(path)), path, 60)


def items_of(body):
    return [ElementTree.tostring(item) for item in ElementTree.fromstring(body).iter("item")]


def fault_in(reply, wanted):
    """Returns what is wrong with an answer, or an empty text.

    Right is the page that a store in which nothing fails gives, or 503 with Retry-After; or, where the
    history can be read but not written, a page that says that it may soon be better and has no other items.
    """
    if reply.status == 503:
        return "" if "retry-after" in reply.fields else f"no Retry-After: {reply}"
    if reply.status != 200:
        return f"neither 200 nor 503: {reply}"
    if page_of(reply) == wanted:
        return ""
    passing = "max-age=60" in reply.fields.get("cache-control", "").split(", ")
    if passing and set(items_of(reply.body)) <= set(items_of(wanted)):
        return ""
    return f"another page: {reply.fields} {reply.body!r} for {wanted!r}"


# The pause between two requests of one reader. Without it, readers would take both processors from
# the cluster and its servers.
PAUSE_SECONDS = 0.01


class Readers:
    """with Readers(webs, pages) as readers: …; afterwards readers.faults lists wrong answers."""

    def __init__(self, webs, pages, each=2):
        self.pages = pages
        self.faults = []
        self.answers = {web: [] for web in webs}  # (when asked, status)
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._ask, args=(web, seed), daemon=True)
                         for web in webs for seed in range(each)]

    def _ask(self, web, seed):
        chance = random.Random(seed)
        paths = list(self.pages)
        while not self._stop.is_set():
            path, asked = chance.choice(paths), time.monotonic()
            try:
                reply = web.get(path)
            except Exception as broken:  # a client is never to see a connection that breaks
                self.faults.append(f"{web.config.name} {path}: {broken!r}")
                return
            self.answers[web].append((asked, reply.status))
            if fault := fault_in(reply, self.pages[path]):
                self.faults.append(f"{web.config.name} {path}: {fault}")
            self._stop.wait(PAUSE_SECONDS)

    def answered(self, web, status, since):
        """Returns whether a request that began after `since` (time.monotonic()) had this status."""
        return any(asked > since and got == status for asked, got in list(self.answers[web]))

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        for thread in self._threads:
            thread.join(90)
