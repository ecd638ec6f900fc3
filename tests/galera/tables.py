"""The content of a store without what differs from run to run: ids, times, hits.

SPDX-License-Identifier: MIT
"""
import hashlib
import sqlite3

from checks import same

# The same text for both engines. What no store has: things twice, and rows of nothing.
FAULTS = (
    "SELECT 'twice', class, name FROM objects GROUP BY class, name HAVING COUNT(*) > 1",
    "SELECT 'twice', oid, version FROM history GROUP BY oid, version HAVING COUNT(*) > 1",
    "SELECT 'of no object', oid FROM history WHERE oid NOT IN (SELECT oid FROM objects)",
    "SELECT 'of no release', version FROM (SELECT version FROM history UNION SELECT version FROM trees) AS used"
    " WHERE version NOT IN (SELECT version FROM releases)",
)
QUERIES = FAULTS + (
    "SELECT 'object', o.class, o.name, name_key, label, label_key, signature, last_modification_date, held, bytes,"
    " b.version FROM objects o LEFT JOIN builds b ON b.number = o.build",
    "SELECT 'row', o.class, o.name, h.version, h.revision, h.since, h.date, h.signature, h.kind,"
    " MD5(h.label), MD5(h.notes) FROM history h JOIN objects o ON o.oid = h.oid",
    "SELECT 'tree', o.class, o.name, t.version, t.since, MD5(COALESCE(t.tree, '')) FROM trees t"
    " JOIN objects o ON o.oid = t.oid",
    "SELECT 'release', version, released_on FROM releases",
    "SELECT 'build', version, digest, recorded_at <> '', unreadable FROM builds",
)


def md5(value):
    return hashlib.md5(value.encode() if isinstance(value, str) else value).hexdigest()


def printed(row):
    """Returns a row as the client of MariaDB prints it."""
    escaped = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\0": r"\0"})
    return "\t".join(str(value).translate(escaped) for value in row)


def in_sqlite(path, queries=QUERIES):
    """Returns all rows, sorted, each as a text with tabs."""
    with sqlite3.connect(path) as store:
        store.create_function("MD5", 1, md5)
        return sorted(printed(row) for query in queries for row in store.execute(query))


def in_node(node, database, queries=QUERIES):
    """Returns the rows of one moment at which the node has what was committed before."""
    begin = "SET SESSION wsrep_sync_wait = 1; START TRANSACTION WITH CONSISTENT SNAPSHOT; "
    return sorted(node.tell(begin + "; ".join(queries), database).split("\n")[:-1])


def expect_same(cluster, database, wanted):
    """Checks that every node holds exactly these rows."""
    for node in cluster.nodes:
        same(in_node(node, database), wanted, f"node {node.number}")
