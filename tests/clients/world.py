"""A world: builds, a store that was recorded from each of them, and a configuration.

tests/cases/NAME holds varve.conf and, unless the sample builds are meant, a folder builds/; and feeds.json,
if the store has source feeds.
The time of recording is set to one instant, so that two preparations give the same bytes.
SPDX-License-Identifier: MIT
"""
import hashlib
import json
import pathlib
import re
import shutil
import sqlite3
import tempfile

from site_of_varve import EXAMPLES, HERE, Site, free_port

CASES = HERE / "cases"
RECORDED_AT = "2008-04-01T12:00:00Z"


def _zstd(data):
    """A frame with its content as it is: RFC 8878 sections 3.1.1 and 3.1.1.2."""
    block = len(data) << 3 | 1
    return b"\x28\xb5\x2f\xfd\xa0" + len(data).to_bytes(4, "little") + block.to_bytes(3, "little") + data


def _insert(store, table, row):
    columns, places = ", ".join(row), ", ".join("?" * len(row))
    return store.execute(f"INSERT INTO {table} ({columns}) VALUES ({places})", tuple(row.values())).lastrowid


def _md5(text):
    return hashlib.md5(text.encode()).hexdigest()


def _add_feed(store, feed):
    """Writes what a harvester would have written (docs/schema.md)."""
    columns = {name: value for name, value in feed.items() if name not in ("events", "entries")}
    for name in ("http_etag", "http_last_modified"):
        columns[name] = columns.get(name, "").encode()
    base_url = re.match("https?://[^/]+", feed["url"])[0]
    number = _insert(store, "feeds", {"url_digest": hashlib.sha256(feed["url"].encode()).hexdigest(),
                                      "base_url": base_url, "created_at": RECORDED_AT, **columns})
    for created_at, event, note in feed["events"]:
        _insert(store, "fetch_events", {"feed": number, "created_at": created_at, "event": event, "note": note})
    for entry in feed["entries"]:
        _add_entry(store, number, entry)


def _add_entry(store, feed, entry):
    edits = entry.get("edits", [])
    tree = [{"tag": tag, "children": [{"text": value} for value in values]} for tag, *values in entry["tree"]]
    columns = {name: value for name, value in entry.items() if name not in ("tree", "content", "edits")}
    number = _insert(store, "entries", {**columns, "feed": feed, "guid_digest": _md5(entry["guid"]),
                                        "seen_digest": _md5(entry["guid"]), "last_seen": RECORDED_AT[:10],
                                        "revision": len(edits), "tree": _zstd(json.dumps(tree).encode()),
                                        "content": _zstd(entry["content"].encode())})
    for revision, (created_at, changes) in enumerate(edits, 1):
        _insert(store, "entry_changes", {"entry": number, "revision": revision, "feed": feed,
                                         "created_at": created_at, "notes": json.dumps({"changes": changes}, separators=(",", ":"))})


class World(Site):
    """live: its addresses lead to this server; else they are those of the configuration."""

    def __init__(self, name, live=False):
        self.name = name
        self.source = CASES / name
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.builds = self.folder / "builds"
        own = self.source / "builds"
        shutil.copytree(own if own.exists() else EXAMPLES / "builds", self.builds, symlinks=True)
        for file in self.source.glob("*.tsv"):
            shutil.copy(file, self.folder)
        self.varve = self.apache = self.behind = None
        self.port = free_port()
        self.base_url = f"http://127.0.0.1:{self.port}" if live else self._configured("base_url")
        self.versions = sorted(folder.name for folder in self.builds.iterdir() if not folder.is_symlink())
        self.switch_to(self.versions[-1])
        self._prepare()

    def _configured(self, key):
        return re.search(rf"(?m)^{key} = (.*)$", (self.source / "varve.conf").read_text()).group(1)

    def write_config(self, name="varve.conf", path="builds/current"):
        text = (self.source / "varve.conf").read_text()
        text = re.sub(r"(?m)^base_url = .*$", f"base_url = {self.base_url}", text)
        text = re.sub(r"(?m)^path = .*$", f"path = {path}", text)
        (self.folder / "var").mkdir(exist_ok=True)
        config = self.folder / name
        config.write_text(text)
        return config

    @property
    def is_private(self):
        return "\nprivate = yes\n" in (self.source / "varve.conf").read_text()

    def _prepare(self):
        self.write_config()
        self.expect(0, "init")
        for version in self.versions:
            self.write_config(f"{version}.conf", path=f"builds/{version}")
            self.expect(0, "prewarm", "--all", "--jobs", "1", config=f"{version}.conf")
        with sqlite3.connect(self.folder / "var" / "history.db") as store:
            store.execute("UPDATE history SET recorded_at = ?", (RECORDED_AT,))
            if (self.source / "feeds.json").exists():
                for feed in json.loads((self.source / "feeds.json").read_text()):
                    _add_feed(store, feed)
        store.close()

    @property
    def base_path(self):
        return re.sub(r"^https?://[^/]+", "", self.base_url)
