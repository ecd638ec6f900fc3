"""by_feedparser.py FOLDER URL -- reads each *.xml below a folder with Python's feedparser, as if it came from a URL.

Prints a JSON object a line: {"file", "title", "link", "entries": [{"title", "link", "id", "published", "updated"}]}.
Titles are HTML, and times end with seconds: 2026-11-24T09:15:20. Members that feedparser does not have are left out.
SPDX-License-Identifier: MIT
"""
import html
import json
import pathlib
import sys
import time

import feedparser


def title_of(read):
    detail = dict.get(read, "title_detail")
    if not detail:
        return None
    return html.escape(detail.value) if detail.type == "text/plain" else detail.value


def time_of(read, key):
    # The method get() of feedparser takes the time of publication for a missing time of an update.
    moment = dict.get(read, key)
    return time.strftime("%Y-%m-%dT%H:%M:%S", moment) if moment else None


def told(**members):
    return {name: value for name, value in members.items() if value}


def main(folder, url):
    for path in sorted(pathlib.Path(folder).rglob("*.xml")):
        read = feedparser.parse(path.read_bytes(), response_headers={"content-location": url})
        entries = [told(title=title_of(entry), link=dict.get(entry, "link"), id=dict.get(entry, "id"),
                        published=time_of(entry, "published_parsed"), updated=time_of(entry, "updated_parsed"))
                   for entry in read.entries]
        feed = told(title=title_of(read.feed), link=dict.get(read.feed, "link"))
        print(json.dumps({"file": str(path.relative_to(folder)), **feed, "entries": entries}))


if __name__ == "__main__":
    main(*sys.argv[1:])
