"""Servers of source feeds, which write down each request.

SPDX-License-Identifier: MIT
"""
import collections

from servers import Servers


class FeedServers(Servers):
    """Answer `/N` with a small feed, and every request for it that has its entity tag with 304."""

    def __init__(self, hosts):
        self.requests = collections.Counter()  # by URL
        self.count = 0
        self.on_request = lambda count: None
        super().__init__(hosts)

    def url(self, number):
        return f"http://{self.hosts[number % len(self.hosts)]}:{self.port}/{number}"

    def answer(self, line, fields, _body):
        url = f"http://{fields['host']}{line.split()[1]}"
        self.requests[url] += 1
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
