"""`varve serve` over the cluster on a unix socket, requested as a web server does.

SPDX-License-Identifier: MIT
"""
import subprocess

import fastcgi
from cluster import end_with_parent
from site_of_varve import PROGRAM, eventually


class Web:
    """One `varve serve` with a configuration of its own over the site's builds."""

    def __init__(self, site, name, store, cache_mb=0, **config):
        self.socket = site.folder / f"{name}.sock"
        self.log = site.folder / f"{name}.log"
        self.config = site.write_config(f"{name}.conf", store__url=store, serve__listen=f"unix:{name}.sock",
                                        serve__cache_mb=str(cache_mb), serve__threads="16", **config)
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [str(PROGRAM), "serve", "--config", str(self.config)], stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, preexec_fn=end_with_parent)

    def get(self, path, **fields):
        return fastcgi.get(self.socket, path, **fields)

    def serves(self, version):
        assert self.process.poll() is None, f"varve serve ended: {self.log_tail()}"
        try:
            reply = self.get("/healthz")
        except OSError:
            return False
        return reply.status == 200 and f'"release":"{version}"' in reply.text

    def wait_for(self, version):
        eventually(lambda: self.serves(version), f"{self.config.name} serves {version}")

    def log_tail(self):
        return self.log.read_text(errors="replace")[-2000:]

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
