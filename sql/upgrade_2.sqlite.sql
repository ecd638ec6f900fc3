-- Schema 1 made schema 2: what the release job needs. `varve init` runs it.
-- SPDX-License-Identifier: MIT

ALTER TABLE releases ADD COLUMN replacing INTEGER NOT NULL DEFAULT 0;
DROP INDEX IF EXISTS history_by_release;
CREATE INDEX IF NOT EXISTS history_by_kind ON history (version, kind, oid);

-- What the release job has finished: every object of the class (of all classes: the class
-- that has no name) is compared in the release, but for those in `failed`.
CREATE TABLE IF NOT EXISTS warmed (
  class     TEXT NOT NULL CHECK (length(class) <= 64),
  version   TEXT NOT NULL CHECK (length(version) <= 32),
  warmed_at TEXT NOT NULL CHECK (length(warmed_at) <= 20),
  objects   INTEGER NOT NULL,
  PRIMARY KEY (class, version)
) STRICT;

-- Objects that a release job could not read.
CREATE TABLE IF NOT EXISTS failed (
  version TEXT NOT NULL CHECK (length(version) <= 32),
  class   TEXT NOT NULL CHECK (length(class) <= 64),
  name    TEXT NOT NULL CHECK (length(name) <= 512),
  reason  TEXT NOT NULL,
  PRIMARY KEY (version, class, name)
) STRICT;

-- Who works on which part of a release job now, and what came of the parts that are done.
CREATE TABLE IF NOT EXISTS leases (
  task       TEXT NOT NULL CHECK (length(task) <= 160),
  part       INTEGER NOT NULL,
  owner      TEXT NOT NULL CHECK (length(owner) <= 160),
  expires_at TEXT NOT NULL CHECK (length(expires_at) <= 20),
  done       INTEGER NOT NULL DEFAULT 0,
  result     TEXT NOT NULL,
  PRIMARY KEY (task, part)
) STRICT;

-- Places that a release changed in most objects of a class.
CREATE TABLE IF NOT EXISTS mass_changes (
  version    TEXT NOT NULL CHECK (length(version) <= 32),
  class      TEXT NOT NULL CHECK (length(class) <= 64),
  path       TEXT NOT NULL CHECK (length(path) <= 512),
  objects    INTEGER NOT NULL,
  of_objects INTEGER NOT NULL,
  PRIMARY KEY (version, class, path)
) STRICT;

-- What a release that was published again comes to, object by object: in force once
-- releases.digest is theirs, and moved into place from then on.
CREATE TABLE IF NOT EXISTS replacements (
  version                TEXT NOT NULL CHECK (length(version) <= 32),
  oid                    INTEGER NOT NULL REFERENCES objects (oid),
  digest                 TEXT NOT NULL CHECK (length(digest) <= 64),
  signature              TEXT NOT NULL CHECK (length(signature) <= 32),
  label                  TEXT NOT NULL,
  last_modification_date TEXT NOT NULL CHECK (length(last_modification_date) <= 10),
  kind                   TEXT NOT NULL CHECK (length(kind) <= 16),
  revision               INTEGER NOT NULL,
  since                  TEXT NOT NULL CHECK (length(since) <= 32),
  recorded_at            TEXT NOT NULL CHECK (length(recorded_at) <= 20),
  notes                  TEXT NOT NULL,
  tree                   BLOB,
  PRIMARY KEY (version, oid)
) STRICT;

-- One slot is moved on by a process: writers on several hosts don't wait for one row.
INSERT INTO meta (name, value) VALUES
  ('generation-00', 0), ('generation-01', 0), ('generation-02', 0), ('generation-03', 0),
  ('generation-04', 0), ('generation-05', 0), ('generation-06', 0), ('generation-07', 0),
  ('generation-08', 0), ('generation-09', 0), ('generation-10', 0), ('generation-11', 0),
  ('generation-12', 0), ('generation-13', 0), ('generation-14', 0), ('generation-15', 0)
  ON CONFLICT (name) DO NOTHING;
