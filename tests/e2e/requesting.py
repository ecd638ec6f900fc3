"""HTTP as used by readers, caches and attackers.

SPDX-License-Identifier: MIT
"""
import gzip
import time

from sites import check_served
from site_of_varve import rss_path

GENE = ("Gene", "WBGene00006763")
PATH = rss_path(*GENE)
LONG_AGO = "Mon, 01 Jan 2001 00:00:00 GMT"


@check_served("A feed is sent as RSS, with validators and a cache lifetime")
def _(site):
    fields = site.get(PATH).fields
    assert fields["content-type"] == "application/rss+xml; charset=utf-8", fields
    assert fields["etag"].startswith('"') and fields["etag"].endswith('"'), fields
    assert "last-modified" in fields and "max-age=3600" in fields["cache-control"], fields
    assert "Accept-Encoding" in fields["vary"], fields


@check_served("The same request gives the same bytes and the same fields except Date")
def _(site):
    first, second = site.get(PATH), site.get(PATH)
    first.fields.pop("date")
    second.fields.pop("date")
    assert first.body == second.body and first.fields == second.fields


@check_served("A reader that knows the entity tag gets 304 without a body")
def _(site):
    known = site.get(PATH)
    tag = known.fields["etag"]
    for value in (tag, f'"other", {tag}', f"W/{tag}", "*"):
        reply = site.get(PATH, If_None_Match=value)
        assert reply.status == 304 and reply.body == b"", (value, reply)
        for field in ("etag", "cache-control", "vary"):
            assert reply.fields[field] == known.fields[field], (field, reply)
        assert "date" in reply.fields
    assert site.get(PATH, If_None_Match='"other"').status == 200


@check_served("If-Modified-Since works, and is ignored together with If-None-Match")
def _(site):
    known = site.get(PATH).fields
    assert site.get(PATH, If_Modified_Since=known["last-modified"]).status == 304
    assert site.get(PATH, If_Modified_Since=LONG_AGO).status == 200
    assert site.get(PATH, If_Modified_Since="yesterday").status == 200
    assert site.get(PATH, If_Modified_Since=known["last-modified"], If_None_Match='"other"').status == 200
    assert site.get(PATH, If_Modified_Since=LONG_AGO, If_None_Match=known["etag"]).status == 304


@check_served("Clients that accept gzip get it, with a tag of its own")
def _(site):
    plain = site.get(PATH)
    packed = site.get(PATH, Accept_Encoding="gzip, deflate")
    assert "content-encoding" not in plain.fields
    assert packed.fields["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert packed.fields["etag"] != plain.fields["etag"]
    assert site.get(PATH, Accept_Encoding="gzip", If_None_Match=packed.fields["etag"]).status == 304
    assert "content-encoding" not in site.get(PATH, Accept_Encoding="gzip;q=0, identity").fields


@check_served("HEAD has the fields of GET and no body")
def _(site):
    got, head = site.get(PATH), site.get(PATH, method="HEAD")
    assert head.status == 200 and head.body == b""
    for field in ("etag", "last-modified", "content-type", "cache-control", "vary"):
        assert head.fields[field] == got.fields[field], field


@check_served("Semicolons separate like ampersands, a plus is a space, and unknown parameters are ignored")
def _(site):
    feed = site.get(PATH).body
    assert site.get("/rss?name=WBGene00006763;class=Gene").body == feed
    assert site.get(PATH + "&utm_source=reader&x=%zz").body == feed
    assert site.get("/rss?class=Person_name&name=Jonathan+Hodgkin").status == 200


@check_served("Another spelling of a name redirects to the recorded one")
def _(site):
    reply = site.get("/rss?class=gene&name=wbgene00006763")
    assert reply.status == 301, reply
    assert reply.fields["location"] == f"http://127.0.0.1:{site.port}" + PATH, reply


@check_served("n and since narrow a feed, which keeps its ids and gets an address of its own")
def _(site):
    whole, one = site.get(PATH), site.get(PATH + "&n=1")
    assert one.status == 200 and one.body.count(b"<item>") == 1 and whole.body.count(b"<item>") == 3
    later = site.get(PATH + "&since=WS187")
    assert later.body.count(b"<item>") == 1
    guid = b"Gene/WBGene00006763/WS188<"
    assert guid in whole.body and guid in one.body and guid in later.body
    assert one.fields["etag"] != whole.fields["etag"]


@check_served("A wrong request gets an error status and never a feed")
def _(site):
    wrong = {
        "/rss": 400, "/rss?name=unc-26": 400,
        "/rss?class=Gene&name=": 400, "/rss?class=&name=x": 400,
        PATH + "&name=other": 400, PATH + "&class=Paper": 400,
        PATH + "&n=0": 400, PATH + "&n=-1": 400, PATH + "&n=many": 400, PATH + "&n=99999999999999999999": 400,
        "/rss?class=Gene&name=%zz": 400, "/rss?class=Gene&name=%e": 400, "/rss?class=Gene&name=a%00b": 400,
        "/rss?class=Gene&name=%FF%FE": 400, "/rss?class=Gene&name=a%01": 400,
        PATH + "&format=pdf": 400, PATH + "&change=lost": 400, PATH + "&since=WS999": 400,
        "/rss?class=Gene&name=nobody": 404, "/rss?class=Nothing&name=unc-26": 404,
        "/nowhere": 404, "/rss/..%2f..%2fetc/passwd": 404,
    }
    got = {path: site.get(path).status for path in wrong}
    assert got == wrong, {path: (got[path], wrong[path]) for path in wrong if got[path] != wrong[path]}


@check_served("An error is a page for browsers and a line of text for others, without secrets")
def _(site):
    for path in ("/rss?class=Gene&name=nobody", "/rss?name=unc-26", "/nowhere"):
        page = site.get(path, Accept="text/html,application/xhtml+xml")
        text = site.get(path, Accept="*/*")
        assert page.fields["content-type"].startswith("text/html"), page
        assert text.fields["content-type"].startswith("text/plain"), text
        assert str(site.folder) not in page.text + text.text
        assert "SELECT" not in page.text + text.text


@check_served("Markup in a name is escaped")
def _(site):
    reply = site.get("/rss?class=Gene&name=%3Cscript%3Ealert(1)%3C%2Fscript%3E", Accept="text/html")
    assert reply.status == 404 and b"<script>alert" not in reply.body, reply
    assert b"&lt;script" in reply.body, reply


@check_served("Methods other than GET and HEAD are refused, with the allowed ones")
def _(site):
    for method in ("POST", "PUT", "DELETE"):
        reply = site.get(PATH, method=method, body="class=Gene")
        assert reply.status == 405, (method, reply)
        assert reply.fields["allow"] == "GET, HEAD", reply


@check_served("An unexpected request body does not disturb the next request on the connection")
def _(site):
    for _ in range(50):
        assert site.get(PATH, method="POST", body="x" * 10000).status == 405
        assert site.get(PATH).status == 200


@check_served("A form of a watch list is answered with the address of its list, in either encoding")
def _(site):
    form = {"Content_Type": "application/x-www-form-urlencoded"}
    reply = site.get("/watch", method="POST", body="names=Gene+WBGene00006763%0D%0Anobody", **form)
    assert reply.status == 303, reply
    assert reply.fields["location"].endswith("/watch?object=Gene:WBGene00006763&pasted=nobody"), reply
    file = ('--x\r\nContent-Disposition: form-data; name="keep"\r\n\r\n1\r\n--x\r\n'
            'Content-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
            '\ufeff# mine\r\nGene:WBGene00006763\r\n\r\n--x--\r\n').encode()
    kept = site.get("/watch", method="POST", body=file, Content_Type="multipart/form-data; boundary=x")
    assert kept.status == 303, kept
    path = kept.fields["location"][kept.fields["location"].rindex("/watch/"):]
    assert site.get(path).status == 200
    feed = site.get("/rss?watch=" + path[7:])
    assert feed.status == 200 and b"WBGene00006763" in feed.body, feed
    assert site.get("/watch", method="POST", body=file + b" " * 140_000, **form).status == 413
    # Of an unknown length: http.client sends it in chunks.
    chunks = site.get("/watch", method="POST", body=iter([b"names=Gene:", b"WBGene00006763"]), **form)
    assert chunks.status == 303 and chunks.fields["location"].endswith("WBGene00006763"), chunks
    other = site.get("/watch", method="POST", body="keep=1", Origin="https://evil.example", **form)
    assert other.status == 403, other


@check_served("Requests that are too long are refused, and the next one is answered")
def _(site):
    assert site.get("/rss?class=Gene&name=" + "x" * 10_000).status == 400
    assert site.get("/rss?" + "a=1&" * 5_000).status == 414
    assert site.get("/rss?class=Gene&name=" + "x" * 1_000_000).status == 414
    assert site.get(PATH).status == 200


@check_served("Control bytes, NUL and invalid UTF-8 in the request line are refused")
def _(site):
    for target in (b"/rss?class=Gene&name=\xff\xfe", b"/rss?class=Gene&name=\x01", b"/rss?class=\x00"):
        status = site.raw_status(target)
        assert 400 <= status < 500, (target, status)
    assert site.get(PATH).status == 200


@check_served("The server reports its health and the release it serves")
def _(site):
    reply = site.get("/healthz")
    assert reply.status == 200 and b"WS188" in reply.body, reply
    assert reply.fields["cache-control"] == "no-store"


@check_served("The date of a feed is not that of the request")
def _(site):
    changed = site.get(PATH).fields["last-modified"]
    again = site.get(PATH, Cache_Control="no-cache").fields["last-modified"]
    assert changed == again
    assert time.strptime(changed, "%a, %d %b %Y %H:%M:%S GMT")
