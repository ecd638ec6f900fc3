"""Checks of the comparer of golden cases: what it must notice and what it must ignore.

SPDX-License-Identifier: MIT
"""
import cases
import shapes
from checks import check
from outline import Forbidden, outline_of
from site_of_varve import Reply

CASE = """A feed is RSS when nobody asks for another format
Ways: CGI
GET /rss?class=Gene&name=x
Accept: */*
---
Status: 200
Content-Type: application/rss+xml; charset=utf-8
ETag: ***
!Content-Encoding:
---
<rss version="2.0"><channel><title>x</title></channel></rss>
"""
FIELDS = [("Content-Type", "application/rss+xml; charset=utf-8"), ("ETag", '"1"')]


def reply(body='<rss version="2.0">\n <channel><title>x</title></channel></rss>', status=200, fields=()):
    return Reply(status, [*FIELDS, *fields], body.encode())


def is_refused(case, answer):
    try:
        cases.judge(case, answer)
    except AssertionError:
        return True
    return False


@check("The comparer ignores the order of attributes and white space between elements")
def _():
    cases.judge(cases.parse_case(CASE), reply())
    first = shapes.xml_shape('<a x="1" y="2"><b>t</b><c/></a>')
    assert first == shapes.xml_shape('<a y="2" x="1">\n  <b>t</b>\n  <c></c>\n</a>')


@check("The comparer notices another text, attribute, element or order of elements")
def _():
    base = shapes.xml_shape('<a x="1"><b>t</b><c/></a>')
    for other in ('<a x="1"><b>u</b><c/></a>', '<a x="2"><b>t</b><c/></a>', '<a x="1"><c/><b>t</b></a>',
                  '<a x="1"><b>t</b></a>', '<a x="1"><b>t </b><c/></a>', '<a x="1"><b>t</b><c/>tail</a>',
                  '<a xmlns="urn:x" x="1"><b>t</b><c/></a>'):
        assert shapes.xml_shape(other) != base, other


@check("The comparer compares JSON by members in any order, and by type")
def _():
    base = shapes.json_shape('{"a": 1, "b": [1, 2]}')
    assert base == shapes.json_shape('{"b":[1,2],"a":1}')
    for other in ('{"a": "1", "b": [1, 2]}', '{"a": 1, "b": [2, 1]}', '{"a": 1}', '{"a": true, "b": [1, 2]}'):
        assert shapes.json_shape(other) != base, other


@check("The comparer notices a wrong status or body, and missing, changed and additional fields")
def _():
    case = cases.parse_case(CASE)
    assert is_refused(case, reply(status=404))
    assert is_refused(case, Reply(200, FIELDS[:1], reply().body))
    assert is_refused(case, Reply(200, [("Content-Type", "text/xml"), FIELDS[1]], reply().body))
    assert is_refused(case, reply(fields=[("Content-Encoding", "gzip")]))
    assert is_refused(case, reply(body="<rss version='2.0'><channel><title>y</title></channel></rss>"))
    assert is_refused(case, reply(body=""))
    bodiless = cases.parse_case("x\nGET /\n---\nStatus: 200\n---\n")
    assert is_refused(bodiless, reply())
    cases.judge(bodiless, reply(body=""))


@check("The comparer looks for parts, and refuses those after an exclamation mark")
def _():
    case = cases.parse_case("x\nGET /\n---\n~body: parts\n---\n<title>x\n!<title>y\n")
    cases.judge(case, reply())
    assert is_refused(cases.parse_case("x\nGET /\n---\n~body: parts\n---\n<title>y\n"), reply())
    assert is_refused(cases.parse_case("x\nGET /\n---\n~body: parts\n---\n!<title>x\n"), reply())


@check("The comparer's outline holds the texts, links and forms of a page, without its wrappers")
def _():
    page = '<div class="a"><h1>Gene</h1><p>See <a href="/x">it</a>, <del>old</del></p><input name="q"></div>'
    lines = outline_of(page)
    assert lines == ["h1: Gene", "p: See [it](/x), [-old-]", "input: q"], lines
    assert lines == outline_of(page.replace('class="a"', 'id="b"').replace("<h1>", "\n<h1 >"))
    for other in (page.replace("Gene", "gene"), page.replace('"/x"', '"/y"'), page.replace('"q"', '"r"'),
                  page.replace("<del>old</del>", "old"), page.replace("h1", "h2")):
        assert outline_of(other) != lines, other


@check("The comparer makes no outline of a page with scripts, handlers, styles or script addresses")
def _():
    for page in ("<script>alert(1)</script>", "<p onclick='x()'>a</p>", "<p style='a:b'>a</p>", "<style>a{}</style>",
                 "<a href='javascript:alert(1)'>a</a>", "<a href=' java\nscript:alert(1)'>a</a>",
                 "<svg><a xlink:href='javascript:x'>a</a></svg>", "<iframe></iframe>", "<base href='/x'>",
                 "<img src='data:text/html,x'>"):
        try:
            outline_of(page)
        except Forbidden:
            continue
        raise AssertionError(page)
    outline_of("<script src='/varve.js'></script>&lt;script>alert(1)&lt;/script>")


@check("Blessing keeps what a case leaves open, and the blessed case passes")
def _():
    assert cases.case_to_text(cases.parse_case(CASE)) == CASE
    case = cases.parse_case(CASE)
    answer = reply(body="<rss><channel><title>new</title></channel></rss>", status=410)
    blessed = cases.bless(case, answer)
    assert dict(blessed.expected)["ETag"] == "***" and dict(blessed.expected)["Status"] == "410", blessed
    cases.judge(blessed, answer)
    fresh = cases.bless(cases.parse_case("x\nGET /\n---\n---\n"), answer)
    assert ("Status", "410") in fresh.expected and ("ETag", "***") in fresh.expected, fresh
    cases.judge(cases.parse_case(cases.case_to_text(fresh)), answer)
