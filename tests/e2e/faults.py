"""A store on a full disk: reported without loss.

SPDX-License-Identifier: MIT
"""
import resource
import signal
import sqlite3

from checks import check
from site_of_varve import eventually, rss_path

GENE = ("Gene", "WBGene00006763")


def store_of(site):
    return site.folder / "var" / "history.db"


def some_proteins(site, count):
    names = [line.split(b'"')[1].decode() for line in site.dump_of("WS188").split(b"\n")
             if line.startswith(b'Protein : "')]
    return names[:count]


# A file size limit acts like a full disk: every write beyond it fails, in the same calls and
# at the same places. SIGXFSZ is ignored, as it has no counterpart on a disk.
def start_varve_with_small_disk(site, kilobytes):
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (kilobytes * 1024, resource.RLIM_INFINITY))

    site.start_varve(preexec_fn=limit, restore_signals=False)


@check("With a full disk new changes give 503, old feeds are served, and all recovers with room")
def _(site):
    site.expect(0, "init")
    site.visit("WS188", *GENE)  # makes the index, which is larger than the disk below
    start_varve_with_small_disk(site, 192)
    eventually(site.answers, "the site answers")
    served = {GENE: site.feed(*GENE).body}
    refused = None
    for name in some_proteins(site, 600):
        reply = site.get(rss_path("Protein", name))
        if reply.status != 200:
            refused = name
            break
        served["Protein", name] = reply.body
    assert refused is not None, f"{len(served)} objects fitted"
    assert reply.status == 503 and int(reply.fields["retry-after"]) > 0, reply
    health = site.get("/healthz")
    assert health.status == 503 and b"store_fault" in health.body, health
    assert site.get("/healthz?for=readers").status == 200
    assert b"varve_store_writable 0" in site.get("/metrics").body
    for object_name, body in served.items():
        again = site.get(rss_path(*object_name))
        assert again.status == 200 and again.body == body, (object_name, again)
    assert site.varve.poll() is None
    unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    resource.prlimit(site.varve.pid, resource.RLIMIT_FSIZE, unlimited)
    eventually(lambda: site.get(rss_path("Protein", refused)).status == 200, "there is room again")
    assert site.stop_varve() == 0
    for object_name, body in served.items():
        assert site.expect(0, "feed", "--", *object_name).stdout == body
    with sqlite3.connect(store_of(site)) as store:
        assert store.execute("PRAGMA integrity_check").fetchone() == ("ok",)
