"""Clients that request some paths again and again until they are stopped.

SPDX-License-Identifier: MIT
"""
import itertools
import threading


class Load:
    """with Load(site, path) as load: …; afterwards load.replies holds a list for each client.

    path: one, or a list of which each client begins at another.
    """

    def __init__(self, site, path, clients=8):
        self.replies = [[] for _ in range(clients)]
        self.broken = []
        self._stop = threading.Event()
        paths = [path] if isinstance(path, str) else path
        starts = [len(paths) * number // clients for number in range(clients)]
        self._threads = [threading.Thread(target=self._ask, daemon=True,
                                          args=(site, paths[start:] + paths[:start], replies))
                         for start, replies in zip(starts, self.replies)]

    def _ask(self, site, paths, replies):
        for path in itertools.cycle(paths):
            if self._stop.is_set():
                return
            try:
                reply = site.get(path)
            except Exception as broken:  # a client is never to see a connection that breaks
                self.broken.append(repr(broken))
                return
            replies.append((reply.status, reply.body))

    def count(self):
        return sum(len(replies) for replies in self.replies)

    def each_has(self, more):
        """A condition: every client has had that many further answers from now on."""
        wanted = [len(replies) + more for replies in self.replies]
        return lambda: self.broken or all(len(replies) >= want
                                          for replies, want in zip(self.replies, wanted))

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        for thread in self._threads:
            thread.join(60)
