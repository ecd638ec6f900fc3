"""Three MariaDB nodes of one Galera cluster on 127.0.0.1, .2 and .3. close() ends all of them.

SPDX-License-Identifier: MIT
"""
import ctypes
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile

from site_of_varve import HERE, eventually

PROVIDER = "/usr/lib/galera/libgalera_smm.so"
SIZE = 3
DEADLOCK = b"ERROR 1213 "
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
_libc = ctypes.CDLL(None, use_errno=True)


def adopt_orphans():
    """Makes scripts of a killed node children of this process, so that they can be ended."""
    _libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_with_parent():
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def children():
    path = pathlib.Path(f"/proc/self/task/{os.getpid()}/children")
    return [int(word) for word in path.read_text().split()]


def is_free(address, port):
    with socket.socket() as probe:
        try:
            probe.bind((address, port))
        except OSError:
            return False
    return True


def free_base():
    """Returns the first of 40 free ports at each node's address, below those that clients get."""
    for _ in range(200):
        base = random.randrange(15000, 32000, 40)
        if all(is_free(f"127.0.0.{number}", base + offset)
               for number in range(1, SIZE + 1) for offset in range(40)):
            return base
    raise AssertionError("no free ports on 127.0.0.1, 127.0.0.2 and 127.0.0.3")


class Node:
    def __init__(self, folder, number, base):
        self.folder = folder / f"node{number}"
        self.number = number
        self.address = f"127.0.0.{number}"
        self.base = base
        self.process = None

    def port(self, kind):
        """Returns a port: 0 for clients, 1 for the group, 2 for incremental and 3 for whole transfers."""
        return self.base + 10 * self.number + kind

    @property
    def socket(self):
        return self.folder / "sock"

    @property
    def log(self):
        return self.folder / "log"

    # ---- the server's life ----

    def words(self, group):
        """Returns the command that starts the node; group: addresses of others, empty for the first."""
        provider = (f"base_host={self.address};base_port={self.port(1)};"
                    f"gmcast.listen_addr=tcp://{self.address}:{self.port(1)};"
                    f"ist.recv_addr={self.address}:{self.port(2)};gcache.size=32M")
        return [HERE / "support" / "mariadb", self.folder, "--skip-networking=OFF",
                f"--bind-address={self.address}", f"--port={self.port(0)}", "--skip-name-resolve",
                "--binlog-format=ROW", "--innodb-autoinc-lock-mode=2", "--innodb-flush-log-at-trx-commit=0",
                "--wsrep-on=ON", f"--wsrep-provider={PROVIDER}",
                f"--wsrep-cluster-address=gcomm://{group}", f"--wsrep-node-address={self.address}",
                f"--wsrep-node-name=node{self.number}", "--wsrep-sst-method=rsync",
                f"--wsrep-sst-receive-address={self.address}:{self.port(3)}",
                f"--wsrep-provider-options={provider}"]

    def start(self, group):
        """Starts it without waiting; synced() tells when it is ready."""
        words = self.words(group)
        position = self.recovered_position() if group else None
        if position:
            words.append(f"--wsrep-start-position={position}")
        self.folder.mkdir(exist_ok=True)
        log = open(self.log, "ab")
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                        preexec_fn=end_with_parent)
        log.close()

    def recovered_position(self):
        """Returns what a killed node had committed, so that it gets only the rest; None: nothing."""
        done = subprocess.run(self.words("") + ["--wsrep-recover"], stdin=subprocess.DEVNULL, timeout=60,
                              capture_output=True, text=True, errors="replace", check=False)
        found = re.search(r"Recovered position: ([0-9a-f-]{36}:\d+)", done.stdout + done.stderr)
        return found.group(1) if found else None

    def runs(self):
        return self.process is not None and self.process.poll() is None

    def end(self):
        """Ends it in order."""
        self.process.terminate()
        assert self.process.wait(60) == 0, self.log_tail()

    def kill(self):
        """Ends it as a power cut does."""
        self.process.kill()
        self.process.wait()

    def freeze(self):
        """Stops it like a machine that hangs: connections stay open without any answer."""
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)

    # ---- questions ----

    def run(self, sql, database=""):
        words = ["mariadb", "--no-defaults", f"--socket={self.socket}", "--user=root", "--default-character-set=utf8mb4",
                 "-N", "-B", "-e", sql]
        return subprocess.run(words + ([database] if database else []), stdin=subprocess.DEVNULL, timeout=60,
                              capture_output=True, check=False)

    def ask(self, sql, database=""):
        """Returns the rows, tab-separated, or None when the node does not answer."""
        done = self.run(sql, database)
        return done.stdout.decode() if done.returncode == 0 else None

    def tell(self, sql, database=""):
        """Returns the rows. A statement that lost against a write on another node is run again."""
        done = self.run(sql, database)
        while done.returncode and DEADLOCK in done.stderr:
            done = self.run(sql, database)
        assert done.returncode == 0, f"node {self.number}: {sql[:200]}\n{done.stderr.decode()}{self.log_tail()}"
        return done.stdout.decode()

    def status(self, name):
        assert self.runs(), f"node {self.number} ended:\n{self.log_tail()}"
        row = self.ask(f"SHOW STATUS LIKE '{name}'")
        return row.split("\t")[1].strip() if row else ""

    def clients(self):
        """Returns how many connections it has from `varve`."""
        return int(self.tell("SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'varve'"))

    def synced(self, size):
        assert self.runs(), f"node {self.number} ended:\n{self.log_tail()}"
        rows = self.ask("SHOW STATUS WHERE Variable_name IN ('wsrep_ready', 'wsrep_cluster_size',"
                        " 'wsrep_local_state_comment')") or ""
        found = dict(line.split("\t") for line in rows.splitlines())
        return found == {"wsrep_ready": "ON", "wsrep_cluster_size": str(size),
                         "wsrep_local_state_comment": "Synced"}

    def log_tail(self):
        return self.log.read_text(errors="replace")[-1000:] if self.log.exists() else ""


class Cluster:
    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        base = free_base()
        self.nodes = [Node(self.folder, number, base) for number in range(1, SIZE + 1)]
        self.databases = 0

    def start(self):
        """Bootstraps the first node, and lets the others join with copies of its data: nobody has to send them a state."""
        first, *others = self.nodes
        first.start("")
        eventually(lambda: first.synced(1), "the first node is a cluster", 60)
        first.tell("CREATE USER varve@'%'; GRANT ALL ON *.* TO varve@'%'")
        first.end()
        for node in others:
            shutil.copytree(first.folder / "db", node.folder / "db")
        first.start("")
        eventually(lambda: first.synced(1), "the first node is a cluster again", 60)
        self.bring_back(*others)
        return self

    def bring_back(self, *nodes):
        """Starts nodes that are down one after another and waits until all are synced. A node starts
        only when the others miss it: one that returns sooner can split them for seconds."""
        for node in nodes:
            self.wait_for(self.running())
            node.start(",".join(f"{other.address}:{other.port(1)}" for other in self.nodes))
            self.wait_for(self.running())

    def running(self):
        return sum(node.runs() for node in self.nodes)

    def wait_for(self, size):
        """Waits until the running nodes are one cluster of that size."""
        for node in self.nodes:
            if node.runs():
                eventually(lambda node=node: node.synced(size), f"node {node.number} is one of {size}", 60)

    def bootstrap(self, node):
        """Makes a node that lost the others a cluster of its own, as an operator does."""
        node.tell("SET GLOBAL wsrep_provider_options = 'pc.bootstrap=true'")

    def heal(self):
        """Brings all three back, whatever a failed check has left behind."""
        running = [node for node in self.nodes if node.runs()]
        for node in running:
            node.thaw()
        if running and running[0].status("wsrep_cluster_status") != "Primary":
            self.bootstrap(running[0])
        self.bring_back(*(node for node in self.nodes if not node.runs()))
        self.wait_for(SIZE)

    def create_database(self):
        self.databases += 1
        name = f"varve_{self.databases}"
        self.nodes[0].tell(f"CREATE DATABASE {name}")
        self.catch_up()
        return name

    def catch_up(self):
        """Waits until each node that runs has what was written. A log-in does not wait for its database."""
        for node in self.nodes:
            if node.runs():
                node.tell("SET SESSION wsrep_sync_wait = 1; SELECT 1")

    def url(self, database, *order):
        """Returns store.url with the nodes in this order; by default 1, 2, 3."""
        nodes = [self.nodes[number - 1] for number in order] or self.nodes
        hosts = ",".join(f"{node.address}:{node.port(0)}" for node in nodes)
        return f"mysql://varve@{hosts}/{database}"

    def logs(self):
        return "\n".join(f"---- node {node.number}\n{node.log_tail()}" for node in self.nodes)

    def close(self):
        for node in self.nodes:
            if node.runs():
                node.kill()
        # Scripts that transferred data between them.
        while left := children():
            for child in left:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
        shutil.rmtree(self.folder)
