"""The rules of JSON Feed 1.1 (jsonfeed.org/version/1.1).

SPDX-License-Identifier: MIT
"""
import json
import re

RFC_3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
URL = re.compile(r"https?://[^\s/]+\S*")
TEXT, ADDRESS, LIST, FLAG, NUMBER = "text", "address", "list", "flag", "number"

FEED = {"version": ADDRESS, "title": TEXT, "home_page_url": ADDRESS, "feed_url": ADDRESS, "description": TEXT,
        "user_comment": TEXT, "next_url": ADDRESS, "icon": ADDRESS, "favicon": ADDRESS, "authors": LIST,
        "language": TEXT, "expired": FLAG, "hubs": LIST, "items": LIST}
ITEM = {"id": TEXT, "url": ADDRESS, "external_url": ADDRESS, "title": TEXT, "content_html": TEXT,
        "content_text": TEXT, "summary": TEXT, "image": ADDRESS, "banner_image": ADDRESS, "date_published": TEXT,
        "date_modified": TEXT, "authors": LIST, "tags": LIST, "language": TEXT, "attachments": LIST}
AUTHOR = {"name": TEXT, "url": ADDRESS, "avatar": ADDRESS}
ATTACHMENT = {"url": ADDRESS, "mime_type": TEXT, "title": TEXT, "size_in_bytes": NUMBER,
              "duration_in_seconds": NUMBER}
TYPES = {TEXT: str, ADDRESS: str, LIST: list, FLAG: bool, NUMBER: (int, float)}


def _members(thing, known, where):
    if not isinstance(thing, dict):
        yield f"{where} is no object"
        return
    for name, value in thing.items():
        if name.startswith("_"):
            if not isinstance(value, dict) or "." in name:
                yield f"{where}.{name}: an extension is an object, without a dot in its name"
        elif name not in known:
            yield f"{where}.{name} is not in the specification"
        elif not isinstance(value, TYPES[known[name]]):
            yield f"{where}.{name} is no {known[name]}"
        elif known[name] == ADDRESS and not URL.fullmatch(value):
            yield f"{where}.{name} is no absolute address: {value!r}"


def _authors(thing, where):
    for author in thing.get("authors", []):
        yield from _members(author, AUTHOR, f"{where}.authors")
        if not set(author) & {"name", "url", "avatar"}:
            yield f"{where}.authors: one with neither name, url nor avatar"


def _item(item, where):
    yield from _members(item, ITEM, where)
    if not item.get("id"):
        yield f"{where} has no id"
    if not {"content_html", "content_text"} & set(item):
        yield f"{where} has neither content_html nor content_text"
    for name in ("date_published", "date_modified"):
        if name in item and not RFC_3339.fullmatch(item[name]):
            yield f"{where}.{name} is no RFC 3339 date: {item[name]!r}"
    yield from _authors(item, where)
    for tag in item.get("tags", []):
        if not isinstance(tag, str):
            yield f"{where}.tags: {tag!r} is no text"
    for name in item:
        about = item[name].get("about") if name.startswith("_") and isinstance(item[name], dict) else "https://x"
        if not (isinstance(about, str) and URL.fullmatch(about)):
            yield f"{where}.{name} does not say where it is documented: {about!r}"
    for attachment in item.get("attachments", []):
        yield from _members(attachment, ATTACHMENT, f"{where}.attachments")


def findings(body, address_begins):
    """Returns the faults of a feed of these bytes; its feed_url must begin with address_begins."""
    try:
        feed = json.loads(body.decode("utf-8"))
    except ValueError as error:
        return [f"no JSON in UTF-8: {error}"]
    found = list(_members(feed, FEED, "feed"))
    if found and "no object" in found[0]:
        return found
    if feed.get("version") != "https://jsonfeed.org/version/1.1":
        found.append(f"feed.version: {feed.get('version')!r}")
    found += [f"feed.{name} is missing" for name in ("title", "items", "home_page_url", "feed_url") if name not in feed]
    if not str(feed.get("feed_url", "")).startswith(address_begins):
        found.append(f"feed.feed_url: {feed.get('feed_url')!r} does not begin with {address_begins}")
    found += _authors(feed, "feed")
    items = feed.get("items", [])
    for number, item in enumerate(items):
        found += _item(item, f"items[{number}]")
    if len({item.get("id") for item in items}) != len(items):
        found.append("two items have one id")
    return found
