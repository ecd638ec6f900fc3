-- Schema 4 made schema 5: renames have a table of their own. `varve init` runs it, and the program
-- fills the table from the notes of vanished objects (src/store/schema.cpp).
-- SPDX-License-Identifier: MIT

-- Objects that vanished in a release while one other object of their class was created with the
-- content they had. Two rows with the same new name are no rename. digest: empty, or that of a
-- re-publication that is not in force for the object yet.
CREATE TABLE IF NOT EXISTS renames (
  version   TEXT NOT NULL CHECK (length(version) <= 32),
  oid       INTEGER NOT NULL REFERENCES objects (oid),
  digest    TEXT NOT NULL DEFAULT '' CHECK (length(digest) <= 64),
  class     TEXT NOT NULL CHECK (length(class) <= 64),
  signature TEXT NOT NULL CHECK (length(signature) <= 32),
  new_name  TEXT NOT NULL CHECK (length(new_name) <= 512),
  PRIMARY KEY (version, oid, digest)
) STRICT;
CREATE INDEX IF NOT EXISTS renames_by_oid ON renames (oid);
