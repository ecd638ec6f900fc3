"""How an answer's body is compared with a golden case: trees for XML and JSON, outlines for HTML.

A shape is a list of lines. Equal shapes, equal bodies: attributes, members, and white space
between elements may stand in any order or amount; nothing else may differ.
SPDX-License-Identifier: MIT
"""
import json
import re
import xml.etree.ElementTree as ElementTree

from outline import outline_of

NAMESPACES = {"atom": "http://www.w3.org/2005/Atom", "dc": "http://purl.org/dc/elements/1.1/",
              "content": "http://purl.org/rss/1.0/modules/content/",
              "sy": "http://purl.org/rss/1.0/modules/syndication/",
              "fh": "http://purl.org/syndication/history/1.0"}
for prefix, address in NAMESPACES.items():
    ElementTree.register_namespace(prefix, address)

BLOCK = re.compile(r"\s*(<(?:p|ul|ol|li|dl|dt|dd|h[1-6]|table|tr|td|th|pre|blockquote)\b)")


def kind_of(content_type):
    """Returns xml, json, html or text: how a body of this type is compared."""
    media_type = content_type.split(";")[0].strip()
    if media_type.endswith(("+xml", "/xml")) and media_type != "application/xhtml+xml":
        return "xml"
    if media_type.endswith(("+json", "/json")):
        return "json"
    return "html" if media_type == "text/html" else "text"


def _tidy(element):
    if len(element) and not (element.text or "").strip():
        element.text = None
    if element.text and "<" in element.text:
        element.text = BLOCK.sub(r"\n\1", element.text)  # HTML inside: a line for each block
    element.attrib = dict(sorted(element.attrib.items()))
    for child in element:
        if not (child.tail or "").strip():
            child.tail = None
        _tidy(child)


def xml_shape(text):
    root = ElementTree.fromstring(text)
    _tidy(root)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode").split("\n")


def json_shape(text):
    return json.dumps(json.loads(text), indent=1, sort_keys=True, ensure_ascii=False).split("\n")


def _text_of(element, path):
    found = element.find(path, NAMESPACES)
    return "-" if found is None else (found.text or found.get("href") or "").strip()


def _links_of(channel):
    for link in channel.findall("atom:link", NAMESPACES):
        yield f"{link.get('rel')}: {link.get('href')}"
    for mark in ("complete", "archive"):
        if channel.find(f"fh:{mark}", NAMESPACES) is not None:
            yield f"fh:{mark}"


def _json_items(feed):
    yield f"title: {feed['title']}"
    for name in ("feed_url", "next_url"):
        if name in feed:
            yield f"{name}: {feed[name]}"
    for item in feed["items"]:
        yield " | ".join([item["title"], item["id"], item["date_published"], item["url"]])


def _xml_items(root):
    channel = root if root.tag.endswith("feed") else root.find("channel")
    yield f"title: {_text_of(channel, 'title' if channel is not root else 'atom:title')}"
    yield from _links_of(channel)
    for item in channel.findall("item"):
        yield " | ".join(_text_of(item, each) for each in ("title", "guid", "pubDate", "link"))
    for entry in channel.findall("atom:entry", NAMESPACES):
        yield " | ".join(_text_of(entry, f"atom:{each}") for each in ("title", "id", "updated", "link"))


def items_shape(text):
    """Returns title and links of a feed in any format, and title, id, date and link of each item."""
    if text.lstrip().startswith("{"):
        return list(_json_items(json.loads(text)))
    return list(_xml_items(ElementTree.fromstring(text)))


SHAPES = {"xml": xml_shape, "json": json_shape, "html": outline_of, "items": items_shape,
          "text": lambda text: text.rstrip("\n").split("\n")}


def shape_of(kind, text):
    return SHAPES[kind](text)


def stored_shape_of(kind, text):
    """Returns the shape of a case file: a tree is parsed, an outline is already one."""
    return SHAPES[kind](text) if kind in ("xml", "json") else text.rstrip("\n").split("\n")


def findings_in_parts(wanted, text):
    """wanted: lines that must be in the text; those after "!" must not."""
    lines = [line for line in wanted.split("\n") if line]
    return [line for line in lines
            if (line[1:] in text if line.startswith("!") else line not in text)]
