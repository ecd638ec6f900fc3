"""The content of a store without what differs from run to run: ids, times, hits.

SPDX-License-Identifier: MIT
"""
import hashlib
import sqlite3

# The same text for both engines.
QUERIES = {
    "objects": "SELECT class, name, name_key, label, label_key, signature, last_modification_date FROM objects",
    "history": "SELECT o.class, o.name, h.version, h.revision, h.since, h.date, h.signature, h.kind,"
               " MD5(h.label), MD5(h.notes) FROM history h JOIN objects o ON o.oid = h.oid",
    "trees": "SELECT o.class, o.name, t.version, t.since, MD5(COALESCE(t.tree, '')) FROM trees t JOIN objects o ON o.oid = t.oid",
    "releases": "SELECT version, released_on FROM releases",
    "builds": "SELECT version, digest, recorded_at <> '', unreadable FROM builds",
}
# Duplicate rows of things that must exist once, …
DOUBLED = {
    "objects": "SELECT class, name FROM objects GROUP BY class, name HAVING COUNT(*) > 1",
    "history": "SELECT oid, version FROM history GROUP BY oid, version HAVING COUNT(*) > 1",
    "orphans": "SELECT h.oid FROM history h LEFT JOIN objects o ON o.oid = h.oid WHERE o.oid IS NULL",
}


def md5(value):
    return hashlib.md5(value.encode() if isinstance(value, str) else value).hexdigest()


def printed(row):
    """Returns a row as the client of MariaDB prints it."""
    escaped = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\0": r"\0"})
    return "\t".join(str(value).translate(escaped) for value in row)


def sorted_tables(ask):
    """Returns the rows of each table; ask(sql) returns rows as texts."""
    return {table: sorted(ask(query)) for table, query in QUERIES.items()}


def in_sqlite(path):
    """Returns each table's rows, sorted, each row as a text with tabs."""
    with sqlite3.connect(path) as store:
        store.create_function("MD5", 1, md5)
        return sorted_tables(lambda query: list(map(printed, store.execute(query))))


def in_node(node, database):
    return sorted_tables(lambda query: node.tell(query, database).split("\n")[:-1])


def first_difference(found, wanted):
    missing, extra = sorted(set(wanted) - set(found)), sorted(set(found) - set(wanted))
    return (f"{len(found)} rows for {len(wanted)}; {len(missing)} missing {missing[:3]}, "
            f"{len(extra)} not expected {extra[:3]}")


def expect_same(cluster, database, wanted):
    """Checks that every node holds exactly these tables, and nothing twice."""
    for node in cluster.nodes:
        for name, query in DOUBLED.items():
            doubled = node.tell(query, database)
            assert doubled == "", (node.number, "doubled", name, doubled)
        found = in_node(node, database)
        for table, rows in wanted.items():
            assert found[table] == rows, (node.number, table, first_difference(found[table], rows))
