"""Servers of source feeds: one thread that listens at many addresses of this machine, and writes down each request.

SPDX-License-Identifier: MIT
"""
import asyncio
import collections
import threading
import time


class FeedServer:
    """Answers `/N` with a small feed, and every request for it that has its entity tag with 304."""

    def __init__(self, hosts):
        self.hosts = hosts
        self.requests = collections.defaultdict(list)  # by URL: (begin, end) of each request
        self.fields = {}  # by URL: the fields of the last request
        self.by_host = collections.defaultdict(list)  # (begin, end) of each request
        self.on_request = lambda count: None
        self.count = 0
        self.port = None
        self.loop = asyncio.new_event_loop()
        ready = threading.Event()
        self.thread = threading.Thread(target=self._run, args=(ready,), daemon=True)
        self.thread.start()
        ready.wait()

    def url(self, number):
        return f"http://{self.hosts[number % len(self.hosts)]}:{self.port}/{number}"

    def _run(self, ready):
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(self._listen())
        ready.set()
        self.loop.run_forever()

    async def _listen(self):
        for host in self.hosts:
            server = await asyncio.start_server(self._serve, host, self.port or 0, backlog=8)
            self.port = server.sockets[0].getsockname()[1]

    async def _serve(self, reader, writer):
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                begin = time.monotonic()
                line, *lines = head.strip().split("\r\n")
                fields = {name.lower(): value for name, value in (each.split(": ", 1) for each in lines)}
                url = f"http://{fields['host']}{line.split()[1]}"
                self.count += 1
                self.on_request(self.count)
                writer.write(self._answer(url, fields))
                await writer.drain()
                span = (begin, time.monotonic())
                self.requests[url].append(span)
                self.by_host[fields["host"]].append(span)
                self.fields[url] = fields
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    @staticmethod
    def _answer(url, fields):
        tag = f'"{url}"'
        if fields.get("if-none-match") == tag:
            return f"HTTP/1.1 304 Not Modified\r\nETag: {tag}\r\n\r\n".encode()
        body = (f"<rss version='2.0'><channel><title>{url}</title><link>{url}</link><description/>"
                + "".join(f"<item><guid>{url}#{i}</guid><title>Entry {i}</title></item>" for i in range(3))
                + "</channel></rss>").encode()
        return (f"HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\nETag: {tag}\r\n"
                f"Content-Length: {len(body)}\r\n\r\n").encode() + body

    def shortest_pause(self):
        """Returns the shortest time between the end of a request to a host and the begin of the next one."""
        return min((later[0] - earlier[1] for spans in self.by_host.values()
                    for earlier, later in zip(sorted(spans), sorted(spans)[1:])), default=None)

    def close(self):
        async def end():
            tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self.loop.stop()

        asyncio.run_coroutine_threadsafe(end(), self.loop)
        self.thread.join()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
