"""Subscriptions that are in force, as rows of the store.

SPDX-License-Identifier: MIT
"""
import hashlib
import urllib.parse

FOREVER = "2099-01-01T00:00:00Z"


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
