"""Hostile texts: as parameters of requests and as contents of builds, and what judges the answers.

SPDX-License-Identifier: MIT
"""
import html.parser
import json
import re
import urllib.parse
import xml.etree.ElementTree as ElementTree

# Each would leave a word with "hurt" in a tag, an attribute or a header field if it got through.
HOSTILE = (
    "<hurt onload=hurt>", "<script>hurt()</script>", "\"><hurt onerror=hurt>", "' onmouseover='hurt' a='",
    "javascript:hurt()", "]]><hurt/>", "--><hurt>", "</title><hurt>", "{{{hurt}}}{{#hurt}}", "&lt;hurt&gt;",
    "x\r\nHurt: 1\r\n\r\n<hurt>", "x%0d%0aHurt:%201", "' OR 1=1 --", "%' ; DROP TABLE history --", "\u202e<hurt>",
    "\x1b[31mhurt", "../../../../etc/passwd", "\\\"<hurt>", "${hurt}", "`hurt`",
)


class Judge(html.parser.HTMLParser):
    """Raises AssertionError for markup that no page of Varve has."""

    def handle_starttag(self, tag, attrs):
        assert "hurt" not in tag, tag
        names = dict(attrs)
        assert tag != "script" or "src" in names or names.get("type") == "application/ld+json", self.rawdata
        for name, value in attrs:
            assert not name.startswith("on") and "hurt" not in name, (tag, name, value)
            unsafe = re.match(r"\s*(javascript|data|vbscript):", value or "", re.IGNORECASE)
            assert not unsafe or name not in ("href", "src", "action") or names.get("rel") == "icon", (tag, name, value)


def judge_html(text):
    judge = Judge()
    judge.feed(text)
    judge.close()


def judge_reply(reply, asked):
    """Checks that hostile text is only ever text, whatever the format."""
    assert not [name for name in reply.fields if "hurt" in name], (asked, reply.fields)
    kind = reply.fields.get("content-type", "")
    try:
        if "json" in kind:
            document = json.loads(reply.text)
            for item in document.get("items", []) if isinstance(document, dict) else []:
                judge_html(item.get("content_html", ""))
        elif "xml" in kind or "opml" in kind:
            document = ElementTree.fromstring(reply.body)
            for element in document.iter():
                assert "hurt" not in element.tag and not [name for name in element.attrib if "hurt" in name]
            for content in document.findall(".//item/description") + document.findall(".//*[@type='html']"):
                judge_html(content.text or "")
        elif "html" in kind:
            judge_html(reply.text)
    except AssertionError as failure:
        raise AssertionError(asked, reply.body[:2000], *failure.args) from failure


# ---- parameters ----

PARAMETERS = {
    "/rss": ("class", "name", "object", "n", "since", "tag", "change", "format", "token"),
    "/rss/archive": ("class", "name", "object", "before", "tag"),
    "/history": ("class", "name", "at", "page"), "/diff": ("class", "name", "from", "to", "format", "page"),
    "/release/WS187": ("class", "q", "page", "tag", "n", "format"), "/": ("class", "q", "object"),
    "/suggest": ("class", "q"), "/opml": ("object",), "/db/rss": ("class", "name"),
}
RIGHT = {"class": "Gene", "name": "WBGene00006763", "object": "Gene:WBGene00006763", "from": "WS186", "to": "WS188",
         "before": "50"}


def ask_with(site, texts, accepted):
    for path, names in PARAMETERS.items():
        for name, value in ((name, value) for name in names for value in texts):
            others = {each: RIGHT[each] for each in names if each in RIGHT and each != "object"}
            query = urllib.parse.urlencode({**others, name: value})
            for accept in accepted:
                reply = site.get(f"{path}?{query}", Accept=accept)
                assert reply.status in (200, 301, 302, 400, 401, 404, 429), (path, query, reply)
                judge_reply(reply, (path, query))


# ---- contents ----

# What XML forbids is recorded as U+FFFD, and bytes that are not UTF-8 as the characters of Windows-1252.
CONTROL = "".join(map(chr, range(0x20))) + "\x7f\x80\x85\u2028\ufeff\ufffe\uffff"
NOT_UTF8 = b"bytes \xff\xfe \xc3( \xed\xa0\x80 \xf0\x9f\x90"
ODD = (CONTROL, "\U0001f41b\U0010ffff" * 60, "'\"`\\ \\\\ \\' %s ? :1 @a -- /* #", "\u202e\u0301\u200d" * 40)
LONGEST_NAME = "\U0001f41b" * 128  # 512 bytes


def recorded(text):
    return re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "\ufffd", text)


def hostile_objects(note):
    """Yields class, name and tree; `note` is in each."""
    for number, text in enumerate(HOSTILE):
        tree = [{"tag": text, "children": [{"text": f"{text} {note}", "at": "2008-02-01T09:15:20", "by": text}]},
                {"tag": "Refers", "children": [{"class": text, "name": f"{text} {note}"}, {"comment": text}]},
                {"tag": "Long", "stamp": text, "children": [{"text": f"{text}\n{note}\n{text}"}]}]
        yield text[:40].replace(":", ".") if number % 2 else "Gene", f"{text} {number}", tree
    for name, text in ({text: text for text in ODD} | {LONGEST_NAME: "long"}).items():
        yield "Gene", name, [{"tag": "Odd", "children": [{"text": f"{text} {note}"}]}]


def hostile_build(folder, version, date, note):
    """Makes a build whose classes, names, tags, texts and stamps are hostile. Returns its objects as they are recorded."""
    folder.mkdir()
    (folder / "release.ini").write_text(f"version = {version}\ndate = {date}\n")
    objects = [("Gene", NOT_UTF8.decode("cp1252", "replace"))]
    (folder / "bytes.ace").write_bytes(b'Gene : "%b"\nOdd\t "%b %b"\n\n' % (NOT_UTF8, NOT_UTF8, note.encode()))
    with open(folder / "objects.jsonl", "w", encoding="utf-8") as lines:
        for class_name, name, tree in hostile_objects(note):
            json.dump({"class": class_name, "name": name, "tree": tree}, lines)
            lines.write("\n")
            objects.append((recorded(class_name), recorded(name)))
    return objects
