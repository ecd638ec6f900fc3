"""HTTP servers for checks: one thread that listens at several addresses of this machine.

SPDX-License-Identifier: MIT
"""
import asyncio
import http
import inspect
import threading


def response(status, body=b"", **fields):
    """Returns the bytes of a response; fields: Content_Type="…" and the like."""
    lines = [f"HTTP/1.1 {status} {http.HTTPStatus(status).phrase}",
             *(f"{name.replace('_', '-')}: {value}" for name, value in fields.items())]
    if status != 304:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode() + body


class Servers:
    """For each request, sends what answer(line, fields, body) returns: the bytes of a response, or what gives them
    when it is awaited. The names of fields are in lower case."""

    def __init__(self, hosts):
        self.hosts = hosts
        self.port = None
        self.loop = asyncio.new_event_loop()
        self.servers = []
        ready = threading.Event()
        self.thread = threading.Thread(target=self._run, args=(ready,), daemon=True)
        self.thread.start()
        ready.wait()

    def answer(self, line, fields, body):
        raise NotImplementedError

    def _run(self, ready):
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(self._listen())
        ready.set()
        self.loop.run_forever()

    async def _listen(self):
        for host in self.hosts:
            server = await asyncio.start_server(self._serve, host, self.port or 0, limit=1 << 22)
            self.servers.append(server)
            self.port = server.sockets[0].getsockname()[1]

    async def _serve(self, reader, writer):
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                line, *lines = head.strip().split("\r\n")
                fields = {name.lower(): value for name, value in (each.split(": ", 1) for each in lines)}
                body = await reader.readexactly(int(fields.get("content-length", "0")))
                answer = self.answer(line, fields, body)
                writer.write(await answer if inspect.isawaitable(answer) else answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    def close(self):
        async def end():
            for server in self.servers:
                server.close()
            tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self.loop.stop()

        asyncio.run_coroutine_threadsafe(end(), self.loop)
        self.thread.join()
        self.loop.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
