"""Subscribers of the hub: one thread with a server on each of some addresses of this machine, which
writes down what it gets and answers as each of them is told to.

SPDX-License-Identifier: MIT
"""
import collections
import hashlib
import urllib.parse

from servers import Servers, response

HOSTS = [f"127.0.2.{i + 1}" for i in range(20)]
FOREVER = "2099-01-01T00:00:00Z"


class Subscribers(Servers):
    def __init__(self):
        self.got = collections.defaultdict(list)  # by path and query of the callback: bodies in their order
        self.count = 0
        super().__init__(HOSTS)

    def callback(self, number, path):
        return f"http://{HOSTS[number % len(HOSTS)]}:{self.port}/{path}"

    def answer(self, line, _fields, body):
        method, target, _version = line.split(" ")
        echo = b""
        if method == "GET":  # intent verification
            echo = urllib.parse.parse_qs(urllib.parse.urlsplit(target).query)["hub.challenge"][0].encode()
        else:
            self.got[target].append(body)
            self.count += 1
        return response(200, echo)


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
