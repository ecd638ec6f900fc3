"""A page as lines: its text, where links lead, what a form sends.

Markup that only serves looks is left out, so a golden page stays as it is when a class or a
wrapper changes. What may never be on a page stops the outline: scripts inside it, handlers,
styles, addresses that are no http.
SPDX-License-Identifier: MIT
"""
import html.parser
import re

BLOCKS = {"h1", "h2", "h3", "h4", "h5", "h6", "p", "li", "dt", "dd", "td", "th", "caption", "legend",
          "summary", "figcaption", "label", "button", "option", "title", "pre", "blockquote"}
CONTAINERS = {"html", "head", "body", "header", "main", "footer", "nav", "section", "article", "aside", "ul",
              "ol", "dl", "table", "thead", "tbody", "tr", "form", "fieldset", "details", "figure", "div",
              "select", "datalist", "search", "hr", "br"}
VOID = {"meta", "link", "input", "br", "hr", "img", "wbr", "col"}
ADDRESSES = ("href", "src", "action", "formaction", "xlink:href")
VERSION = re.compile(r"\?v=[0-9a-f]+$")  # of a style sheet or script: it changes with each edit
MARKS = {"ins": ("[+", "+]"), "del": ("[-", "-]")}


class Forbidden(AssertionError):
    """The page contains something forbidden."""


def _forbid(tag, attributes):
    for name, value in attributes.items():
        if name.startswith("on") or name in ("style", "srcdoc"):
            raise Forbidden(f"<{tag} {name}={value!r}>")
        bare = "".join((value or "").split()).lower()
        is_icon = attributes.get("rel") == "icon" and bare.startswith("data:image/")
        if name in ADDRESSES and bare.startswith(("javascript:", "data:", "vbscript:")) and not is_icon:
            raise Forbidden(f"<{tag} {name}={value!r}>")
    if tag in ("iframe", "object", "embed", "base", "style"):
        raise Forbidden(f"<{tag}>")
    if tag == "script" and not attributes.get("src"):
        raise Forbidden("a script inside the page")


class _Outline(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.lines = []
        self.text = ""
        self.label = "text"
        self.open = []
        self.links = []

    def flush(self, label="text"):
        text = " ".join(self.text.split())
        if text:
            self.lines.append(f"{self.label}: {text}")
        self.text, self.label = "", label

    @property
    def in_picture(self):
        return "svg" in self.open

    def handle_starttag(self, tag, attrs):
        attributes = {name: value or "" for name, value in attrs}
        _forbid(tag, attributes)
        if tag not in VOID:
            self.open.append(tag)
        if self.in_picture:
            return
        if tag in BLOCKS:
            self.flush(tag)
        elif tag in CONTAINERS:
            self.flush()
        elif tag in MARKS:
            self.text += MARKS[tag][0]
        elif tag == "a":
            self.links.append(attributes.get("href", ""))
            self.text += "["
        self._note(tag, attributes)

    def _note(self, tag, attributes):
        if tag == "link" and attributes.get("rel") != "icon":
            self._line("link", attributes, ("rel", "type", "title", "href"))
        elif tag == "form":
            self._line("form", attributes, ("method", "action"))
        elif tag == "input":
            self.flush()
            self._line("input", attributes, ("type", "name", "value"))
        elif tag in ("select", "textarea"):
            self._line(tag, attributes, ("name",))
        elif tag == "script":
            self._line("script", attributes, ("src",))
        if tag == "option" and "selected" in attributes:
            self.text += "(chosen) "

    def _line(self, tag, attributes, names):
        values = [VERSION.sub("", attributes[name]) for name in names if name in attributes]
        self.lines.append(" ".join([f"{tag}:", *values]))

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if tag in self.open:
            while self.open.pop() != tag:
                pass
        if self.in_picture or tag == "svg":
            return
        if tag == "a" and self.links:
            self.text += f"]({self.links.pop()})"
        elif tag in MARKS:
            self.text += MARKS[tag][1]
        elif tag in BLOCKS or tag in CONTAINERS:
            self.flush()

    def handle_data(self, data):
        if not self.in_picture and not {"script", "style"} & set(self.open):
            self.text += data


def outline_of(page):
    outline = _Outline()
    outline.feed(page)
    outline.close()
    outline.flush()
    return outline.lines
