"""Servers of source feeds, which write down each request.

SPDX-License-Identifier: MIT
"""
import collections
import hashlib

from servers import Servers, response


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
            return response(304, ETag=tag)
        body = (f"<rss version='2.0'><channel><title>{url}</title><link>{url}</link><description/>"
                + "".join(f"<item><guid>{url}#{i}</guid><title>Entry {i}</title></item>" for i in range(3))
                + "</channel></rss>").encode()
        return response(200, body, Content_Type="application/rss+xml", ETag=tag)


class FileServers(Servers):
    """Answer with the files of a folder, and with 304 to those who have what is in a file."""

    def __init__(self, folder, hosts):
        self.folder = folder
        super().__init__(hosts)

    def url(self, host, name):
        return f"http://{host}:{self.port}/{name}"

    def answer(self, line, fields, _body):
        content = (self.folder / line.split()[1][1:]).read_bytes()
        tag = f'"{hashlib.sha256(content).hexdigest()}"'
        if fields.get("if-none-match") == tag:
            return response(304, ETag=tag)
        return response(200, content, ETag=tag)
