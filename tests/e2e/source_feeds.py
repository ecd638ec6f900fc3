"""Servers of source feeds, which write down each request.

SPDX-License-Identifier: MIT
"""
import collections
import time

from servers import Servers


class FeedServers(Servers):
    """Answer `/N` with a small feed, and every request for it that has its entity tag with 304."""

    def __init__(self, hosts):
        self.times = collections.defaultdict(list)  # of the requests, by URL
        self.times_of_host = collections.defaultdict(list)
        self.count = 0
        self.on_request = lambda count: None
        super().__init__(hosts)

    def url(self, number):
        return f"http://{self.hosts[number % len(self.hosts)]}:{self.port}/{number}"

    def answer(self, line, fields, _body):
        url = f"http://{fields['host']}{line.split()[1]}"
        now = time.monotonic()
        self.times[url].append(now)
        self.times_of_host[fields["host"]].append(now)
        self.count += 1
        self.on_request(self.count)
        tag = f'"{url}"'
        if fields.get("if-none-match") == tag:
            return f"HTTP/1.1 304 Not Modified\r\nETag: {tag}\r\n\r\n".encode()
        body = (f"<rss version='2.0'><channel><title>{url}</title><link>{url}</link><description/>"
                + "".join(f"<item><guid>{url}#{i}</guid><title>Entry {i}</title></item>" for i in range(3))
                + "</channel></rss>").encode()
        return (f"HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\nETag: {tag}\r\n"
                f"Content-Length: {len(body)}\r\n\r\n").encode() + body

    def shortest_pause(self):
        """Returns the shortest time between two requests to a host."""
        return min((later - earlier for times in self.times_of_host.values()
                    for earlier, later in zip(times, times[1:])), default=None)
