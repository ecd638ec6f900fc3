-- The store of Varve on SQLite (3.37 or newer): docs/schema.md tells what each column means.
-- SPDX-License-Identifier: MIT
--
--   sqlite3 var/history.db < sql/objects_history.sqlite.sql
--
-- The twin of objects_history.sql: same tables, same columns; a test compares them. Run twice
-- it changes nothing. This file is migration 1: it is never edited once released.
--
-- The CHECKs refuse what the columns of the other engine could not hold.

CREATE TABLE IF NOT EXISTS releases (
  version     TEXT NOT NULL PRIMARY KEY CHECK (length(version) <= 32),
  released_on TEXT NOT NULL CHECK (length(released_on) <= 10),
  digest      TEXT NOT NULL DEFAULT '' CHECK (length(digest) <= 64)
) STRICT;

CREATE TABLE IF NOT EXISTS objects (
  oid                    INTEGER PRIMARY KEY AUTOINCREMENT,
  class                  TEXT NOT NULL CHECK (length(class) <= 64),
  name                   TEXT NOT NULL CHECK (length(name) <= 512),
  name_key               TEXT NOT NULL CHECK (length(name_key) <= 512),
  label                  TEXT NOT NULL DEFAULT '' CHECK (length(label) <= 512),
  signature              TEXT NOT NULL DEFAULT '' CHECK (length(signature) <= 32),
  last_modification_date TEXT NOT NULL DEFAULT '2007-01-01'
                         CHECK (length(last_modification_date) <= 10),
  ace_version            TEXT NOT NULL DEFAULT '' CHECK (length(ace_version) <= 32),
  hits                   INTEGER NOT NULL DEFAULT 0,
  last_requested         TEXT NOT NULL DEFAULT '' CHECK (length(last_requested) <= 20),
  UNIQUE (class, name)
) STRICT;
CREATE INDEX IF NOT EXISTS objects_by_key ON objects (name_key, class);
CREATE INDEX IF NOT EXISTS objects_by_content ON objects (class, signature);
CREATE INDEX IF NOT EXISTS objects_by_hits ON objects (hits);

CREATE TABLE IF NOT EXISTS history (
  sid         INTEGER PRIMARY KEY AUTOINCREMENT,
  oid         INTEGER NOT NULL REFERENCES objects (oid),
  version     TEXT NOT NULL CHECK (length(version) <= 32),
  revision    INTEGER NOT NULL DEFAULT 0,
  since       TEXT NOT NULL DEFAULT '' CHECK (length(since) <= 32),
  date        TEXT NOT NULL CHECK (length(date) <= 10),
  recorded_at TEXT NOT NULL CHECK (length(recorded_at) <= 20),
  signature   TEXT NOT NULL DEFAULT '' CHECK (length(signature) <= 32),
  kind        TEXT NOT NULL CHECK (length(kind) <= 16),
  label       TEXT NOT NULL,
  notes       TEXT NOT NULL,
  UNIQUE (oid, version)
) STRICT;
CREATE INDEX IF NOT EXISTS history_by_release ON history (version, oid);
CREATE INDEX IF NOT EXISTS history_by_date ON history (date, sid);

CREATE TABLE IF NOT EXISTS trees (
  oid     INTEGER NOT NULL REFERENCES objects (oid),
  version TEXT NOT NULL CHECK (length(version) <= 32),
  tree    BLOB NOT NULL,
  PRIMARY KEY (oid, version)
) STRICT;

CREATE TABLE IF NOT EXISTS accepted (
  version     TEXT NOT NULL CHECK (length(version) <= 32),
  digest      TEXT NOT NULL CHECK (length(digest) <= 64),
  accepted_at TEXT NOT NULL CHECK (length(accepted_at) <= 20),
  PRIMARY KEY (version, digest)
) STRICT;

CREATE TABLE IF NOT EXISTS meta (
  name  TEXT NOT NULL PRIMARY KEY CHECK (length(name) <= 64),
  value INTEGER NOT NULL
) STRICT;

-- Last, because a schema that has its number is whole.
INSERT INTO meta (name, value) VALUES ('generation', 0), ('schema', 1)
  ON CONFLICT (name) DO NOTHING;
