"""A real Apache in front of varve, with httpd.conf.example, and its CGI program.

SPDX-License-Identifier: MIT
"""
from checks import check
from nginx import PATH, expect_what_varve_answers


@check("Apache with httpd.conf.example answers feeds, HEAD, 304, gzip, pages and forms as varve does")
def _(site):
    site.start_behind_apache(cgi=False)
    expect_what_varve_answers(site)
    by_cgi = site.get(PATH.replace("/rss?", "/cgi-bin/rss?"))  # which nobody has switched on
    assert by_cgi.status == 404 and by_cgi.body == site.get("/nowhere").body, by_cgi
