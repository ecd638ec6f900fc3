"""A real Apache in front of varve, with httpd.conf.example, and its CGI program.

SPDX-License-Identifier: MIT
"""
from checks import check
from nginx import GENE, PATH, expect_what_varve_answers

CGI_PATH = PATH.replace("/rss?", "/cgi-bin/rss?")


@check("Apache with httpd.conf.example answers feeds, HEAD, 304, gzip, pages and forms as varve does")
def _(site):
    site.start_behind_apache(cgi=False)
    expect_what_varve_answers(site)
    by_cgi = site.get(CGI_PATH)  # which nobody has switched on
    assert by_cgi.status == 404 and by_cgi.body == site.get("/nowhere").body, by_cgi


@check("The CGI program gives the same bytes as the server, and conditional requests and errors the same status")
def _(site):
    site.start_behind_apache()
    served, by_cgi = site.feed(*GENE), site.get(CGI_PATH)
    assert by_cgi.status == 200, by_cgi
    assert by_cgi.body == served.body
    for field in ("etag", "last-modified", "content-type", "cache-control", "vary"):
        assert by_cgi.fields[field] == served.fields[field], (field, by_cgi, served)
    assert site.get(CGI_PATH, If_None_Match=by_cgi.fields["etag"]).status == 304
    assert site.get("/cgi-bin/rss?class=Gene&name=nobody").status == 404
    assert site.get("/cgi-bin/rss?name=unc-26").status == 400
    assert site.get("/cgi-bin/rss", method="POST", body="x=1").status == 405
