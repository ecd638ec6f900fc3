"""Subscribers of the hub: one thread with a server on each of some addresses of this machine, which
writes down what it gets and answers as each of them is told to.

SPDX-License-Identifier: MIT
"""
import asyncio
import collections
import hashlib
import threading
import urllib.parse

HOSTS = [f"127.0.2.{i + 1}" for i in range(20)]
FOREVER = "2099-01-01T00:00:00Z"


class Subscribers:
    def __init__(self):
        self.got = collections.defaultdict(list)  # by path and query of the callback: bodies in their order
        self.count = 0
        self.loop = asyncio.new_event_loop()
        self.port = None
        ready = threading.Event()
        self.thread = threading.Thread(target=self._run, args=(ready,), daemon=True)
        self.thread.start()
        ready.wait()

    def callback(self, number, path):
        return f"http://{HOSTS[number % len(HOSTS)]}:{self.port}/{path}"

    def _run(self, ready):
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(self._listen())
        ready.set()
        self.loop.run_forever()

    async def _listen(self):
        for host in HOSTS:
            server = await asyncio.start_server(self._serve, host, self.port or 0, limit=1 << 22)
            self.port = server.sockets[0].getsockname()[1]

    async def _serve(self, reader, writer):
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
                target = head.split(" ", 2)[1]
                length = int(head.split("content-length: ")[1].split("\r\n")[0]) if "content-length: " in head else 0
                body = await reader.readexactly(length)
                answer = self._answer(head, target, body)
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(answer) + answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    def _answer(self, head, target, body):
        if head.startswith("get "):  # intent verification
            return urllib.parse.parse_qs(urllib.parse.urlsplit(target).query)["hub.challenge"][0].encode()
        self.got[target].append(body)
        self.count += 1
        return b""

    def close(self):
        async def end():
            tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self.loop.stop()

        asyncio.run_coroutine_threadsafe(end(), self.loop)
        self.thread.join()


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def subscription_rows(base_url, objects, callbacks):
    """Returns SQL that writes subscriptions which are in force: each object with each of its callbacks(i)."""
    def quoted(*values):
        return "(" + ", ".join(str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"
                               for value in values) + ")"

    topics, subscriptions = [], []
    for i, (class_name, name) in enumerate(objects):
        url = f"{base_url}/rss?" + urllib.parse.urlencode({"class": class_name, "name": name})
        topics.append(quoted(i + 1, url, digest(url), "object", class_name, name, "", "nothing yet"))
        for callback in callbacks(i):
            host = urllib.parse.urlsplit(callback).hostname
            subscriptions.append(quoted(i + 1, callback, digest(callback), host, FOREVER, url, "sha256"))
    for into, rows in (("topics (id, url, url_digest, subject, class, name, version, position)", topics),
                       ("subscriptions (topic, callback, callback_digest, host, expires_at, topic_url, method)",
                        subscriptions)):
        for at in range(0, len(rows), 500):
            yield f"INSERT INTO {into} VALUES {', '.join(rows[at:at + 500])}"
