"""Servers of source feeds.

SPDX-License-Identifier: MIT
"""
import hashlib

from servers import Servers, response


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
