"""Golden cases: a request, the expected fields, and the body.

    A sentence that says what the case holds.
    Ways: HTTP                                only where it can't be asked in both
    GET /rss?class=Gene&name=WBGene00006763   below base_url
    If-None-Match: {ETag}
    ---
    Status: 200
    ETag: ***                                 there, with any value
    !Content-Encoding:                        not there
    ~body: items                              how the body is compared: see shapes.py; any, parts
    ---
    the body, as a tree or an outline
    =====                                     the next case of the same file

{ETag} stands for the tag of the same request without If- fields, {token} and the like for what was
prepared; these may stand in expected fields too. Nothing behind the first ---: the case is new, and
blessing writes what is worth holding.
SPDX-License-Identifier: MIT
"""
import dataclasses
import gzip
import re
from types import MappingProxyType

import shapes
from checks import same
from ways import can_be_cgi

WORTH_HOLDING = ("content-type", "location", "allow", "retry-after", "www-authenticate", "vary",
                 "cache-control", "content-encoding", "content-security-policy",
                 "referrer-policy", "link", "x-content-type-options")
SPELLED = {"etag": "ETag", "www-authenticate": "WWW-Authenticate"}
SEPARATOR = "=====\n"
WAYS = {"HTTP", "CGI"}


@dataclasses.dataclass
class Case:
    sentence: str
    ways: tuple       # names of ways; empty: all
    method: str
    target: str
    fields: list      # (name, value) of the request
    expected: list    # (name, value), as written: "!Name" and "~body" too
    body: str

    @property
    def body_kind(self):
        return dict(self.expected).get("~body")

    def goes(self, way):
        if self.ways:
            return way.name in self.ways
        return way.name != "CGI" or can_be_cgi(self.target)


def _pair(line):
    name, colon, value = line.partition(":")
    assert colon, f"no field: {line!r}"
    return name.strip(), value.strip()


def parse_case(text):
    head, _, rest = text.partition("---\n")
    fields, _, body = rest.partition("---\n")
    sentence, *lines = head.rstrip("\n").split("\n")
    ways = ()
    if lines[0].startswith("Ways:"):
        ways = tuple(each.strip() for each in lines.pop(0)[5:].split(","))
        assert set(ways) <= WAYS, f"{sentence}: no such way among {', '.join(ways)}"
    method, target = lines.pop(0).split(" ", 1)
    return Case(sentence, ways, method, target, [_pair(line) for line in lines],
                [_pair(line) for line in fields.splitlines() if line], body)


def parse_cases(text):
    return [parse_case(each) for each in text.split(SEPARATOR)]


def case_to_text(case):
    ways = [f"Ways: {', '.join(case.ways)}"] if case.ways else []
    head = [case.sentence, *ways, f"{case.method} {case.target}", *(f"{n}: {v}" for n, v in case.fields)]
    expected = [f"{name}: {value}".rstrip() for name, value in case.expected]
    body = case.body.rstrip("\n")
    return "\n".join([*head, "---", *expected, "---", *([body] if body else [])]) + "\n"


def body_of(reply):
    body = reply.body
    if reply.fields.get("content-encoding") == "gzip" and body:
        body = gzip.decompress(body)
    return body.decode("utf-8")


def _kind_for(case, reply):
    return case.body_kind or shapes.kind_of(reply.fields.get("content-type", "text/plain"))


# ---- asking ----

def ask(case, way, known):
    """known: values of {PLACEHOLDERS}."""
    def own(field):
        plain = [(name, value) for name, value in case.fields if not name.lower().startswith("if-")]
        return way.ask("GET", filled(case.target), plain).fields[field]

    def value_of(match):
        if match.group(1) == "ETag":
            return own("etag")
        if match.group(1) == "LastModified":
            return own("last-modified")
        return known[match.group(1)]

    def filled(text):
        return re.sub(r"\{(\w+)\}", value_of, text)

    return way.ask(case.method, filled(case.target), [(name, filled(value)) for name, value in case.fields])


# ---- judging ----

def _named(text, known):
    """Replaces prepared things, as they are in this run, by their names."""
    for placeholder, value in known.items():
        text = text.replace(value, "{" + placeholder + "}")
    return text


def _fields_of(reply, known):
    fields = {"status": str(reply.status), **reply.fields}
    return {name: _named(text, known) for name, text in fields.items()}


def _field_findings(case, reply, known):
    got = _fields_of(reply, known)
    for name, value in case.expected:
        key = name.lstrip("!").lower()
        if name.startswith("~"):
            continue
        if name.startswith("!"):
            if key in got:
                yield f"{name[1:]} is there: {got[key]}"
        elif key not in got:
            yield f"{name} is not there"
        elif value not in ("***", got[key]):
            yield f"{name}: {got[key]}, wanted {value}"


def judge(case, reply, known=MappingProxyType({})):
    """Complains about differences between an answer and the case."""
    findings = list(_field_findings(case, reply, known))
    assert not findings, "\n".join([*findings, f"in: {reply!r}"])
    kind = _kind_for(case, reply)
    text = _named(body_of(reply), known)
    if kind == "any":
        return
    if kind == "parts":
        findings = shapes.findings_in_parts(case.body, text)
        assert not findings, "\n".join(["parts missing, or there against a !:", *findings, text[:1500]])
    elif not text or not case.body.strip():
        same(text.split("\n"), case.body.split("\n"), "the body")
    else:
        same(shapes.shape_of(kind, text), shapes.stored_shape_of(kind, case.body), "the body")


def bless(case, reply, known=MappingProxyType({})):
    """Returns the case with the content of the answer; what it leaves open stays open."""
    got = _fields_of(reply, known)
    expected = case.expected
    if not expected:
        expected = [("Status", ""), *((SPELLED.get(name, name.title()), "") for name in WORTH_HOLDING if name in got),
                    *([("ETag", "***")] if "etag" in got else [])]
    expected = [(name, got.get(name.lower(), value) if name[0] not in "!~" and value != "***" else value)
                for name, value in expected]
    case = dataclasses.replace(case, expected=expected)
    kind = _kind_for(case, reply)
    if kind in ("any", "parts"):
        return case
    text = _named(body_of(reply), known)
    return dataclasses.replace(case, body="\n".join(shapes.shape_of(kind, text)) if text else "")
