"""The sample site as a new user finds it.

SPDX-License-Identifier: MIT
"""
import xml.etree.ElementTree as ElementTree

import feedparser

from checks import check
from sites import check_served
from site_of_varve import rss_path

GENE = ("Gene", "WBGene00006763")


def items_of(reply):
    return ElementTree.fromstring(reply.body).findall("./channel/item")


@check_served("After requests in WS186 and WS187 the feed of a gene has an item for each release that changed it")
def _(site):
    titles = [item.findtext("title") for item in items_of(site.feed(*GENE))]
    assert titles == [
        "unc-26 in WS188: Person evidence of unc-26 WBPerson625 → Jonathan Hodgkin",
        "unc-26 in WS187: Other name synj-1 added, GO term phosphatidylinositol-4,5-bisphosphate 5-… added,"
        " 3 more changes",
        "unc-26 in WS186, by timestamps: Concise description added, GO term synaptic transmission added,"
        " map IV added, 1 more change"], titles


@check_served("An item has a permanent id, the date of its release and a link to the history page")
def _(site):
    newest = items_of(site.feed(*GENE))[0]
    guid = newest.find("guid")
    assert guid.text == "tag:example.org,2007:Gene/WBGene00006763/WS188", guid.text
    assert guid.get("isPermaLink") == "false"
    assert newest.findtext("pubDate") == "Sat, 22 Mar 2008 00:00:00 GMT", newest.findtext("pubDate")
    link = newest.findtext("link")
    assert link.startswith(f"http://127.0.0.1:{site.port}/history?") and link.endswith("&at=WS188"), link


@check_served("An item shows the changed paths and links the objects in them")
def _(site):
    text = items_of(site.feed(*GENE))[1].findtext("description")
    assert "Other name</a> added: " in text, text
    assert f'href="http://127.0.0.1:{site.port}/history?class=Person&amp;name=WBPerson1">Cecilia Nakamura</a>' in text, text


@check_served("A feed reader finds the same titles, ids and dates, and no fault")
def _(site):
    reply = site.feed(*GENE)
    read = feedparser.parse(reply.body)
    assert not read.bozo, read.bozo_exception
    assert read.version == "rss20", read.version
    assert read.feed.title and read.feed.link and read.feed.description, read.feed
    written = [(item.findtext("title"), item.findtext("guid")) for item in items_of(reply)]
    assert [(entry.title, entry.id) for entry in read.entries] == written
    dates = [tuple(entry.published_parsed[:6]) for entry in read.entries]
    assert dates == [(2008, 3, 22, 0, 0, 0), (2008, 2, 15, 0, 0, 0), (2008, 2, 1, 0, 0, 0)], dates


@check_served("A feed reader gets the feed over HTTP, and 304 the second time")
def _(site):
    address = f"http://127.0.0.1:{site.port}" + rss_path(*GENE)
    first = feedparser.parse(address)
    assert first.status == 200 and len(first.entries) == 3, first
    again = feedparser.parse(address, etag=first.etag, modified=first.modified)
    assert again.status == 304 and not again.entries, again


@check_served("A feed gives its own address, its language and its last change")
def _(site):
    channel = ElementTree.fromstring(site.feed(*GENE).body).find("channel")
    link = channel.find("{http://www.w3.org/2005/Atom}link[@rel='self']")
    reply = site.get(link.get("href")[len(f"http://127.0.0.1:{site.port}"):])
    assert reply.status == 200 and reply.body == site.feed(*GENE).body, link.get("href")
    assert channel.findtext("language") == "en"
    assert channel.findtext("lastBuildDate")


@check_served("A vanished object keeps its feed, which says so")
def _(site):
    newest = items_of(site.feed("Phenotype", "WBPhenotype:0001213"))[0]
    assert "vanished in WS188" in newest.findtext("title"), newest.findtext("title")


@check_served("An object that the previous build did not have was created")
def _(site):
    titles = [item.findtext("title") for item in items_of(site.feed("Phenotype", "WBPhenotype:0004022"))]
    assert len(titles) == 1 and "created in WS188" in titles[0], titles


@check_served("An object requested only in the newest build has no invented changes")
def _(site):
    assert not items_of(site.feed("Person", "WBPerson1848"))


@check_served("A link of the old site leads to the same feed")
def _(site):
    reply = site.get("/db/rss?name=WBGene00006763;class=Gene")
    assert reply.status == 301, reply
    base = f"http://127.0.0.1:{site.port}"
    assert reply.fields["location"].startswith(base + "/rss?"), reply
    followed = site.get(reply.fields["location"][len(base):])
    assert followed.status == 200 and followed.body == site.feed(*GENE).body


@check("The history does not depend on how often each build was requested")
def _(site):
    site.expect(0, "init")
    for build in ("WS186", "WS187", "WS188", "WS187", "WS186"):
        site.visit(build, *GENE)
    once = site.visit("WS188", *GENE)
    assert once == site.visit("WS188", *GENE)
    assert len(ElementTree.fromstring(once).findall("./channel/item")) == 3, once


@check("A site that is rolled back shows what it knew then and loses nothing")
def _(site):
    site.expect(0, "init")
    seen = {build: site.visit(build, *GENE) for build in ("WS186", "WS187", "WS188")}
    assert len(set(seen.values())) == 3, seen
    assert site.visit("WS187", *GENE) == seen["WS187"]
    assert site.visit("WS188", *GENE) == seen["WS188"]
