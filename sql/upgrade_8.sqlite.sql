-- Schema 7 made schema 8: pages of many objects count and sort no rows, filters pass over rows in an
-- index, and searches compare other keys. `varve init` runs it, after the program has made the new columns
-- of `history` and filled them and `row_counts`, and made the keys and words again (src/store/schema.cpp).
-- SPDX-License-Identifier: MIT

-- How many rows of each kind a release has, by class and in all (the class that has no name). Each
-- process adds to a row of its own; the sum counts.
CREATE TABLE IF NOT EXISTS row_counts (
  class   TEXT NOT NULL CHECK (length(class) <= 64),
  version TEXT NOT NULL CHECK (length(version) <= 32),
  kind    TEXT NOT NULL CHECK (length(kind) <= 16),
  slot    TEXT NOT NULL CHECK (length(slot) <= 2),
  objects INTEGER NOT NULL,
  writes  INTEGER NOT NULL,
  PRIMARY KEY (class, version, kind, slot)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS row_counts_by_release ON row_counts (version);

CREATE INDEX IF NOT EXISTS history_by_name ON history (version, class, name, kind, tag_bits);
CREATE INDEX IF NOT EXISTS history_by_recording ON history (version, sid, class, kind);
CREATE INDEX IF NOT EXISTS history_by_size ON history (version, kind, bytes DESC, class, name);
DROP INDEX IF EXISTS history_by_kind;
DROP INDEX IF EXISTS history_by_date;
