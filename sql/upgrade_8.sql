-- Schema 7 made schema 8: pages of many objects count and sort no rows, filters pass over rows in an
-- index, and searches compare other keys. `varve init` runs it, after the program has made the new columns
-- of `history` and filled them and `row_counts`, and made the keys and words again (src/store/schema.cpp).
-- SPDX-License-Identifier: MIT

-- How many rows of each kind a release has, by class and in all (the class that has no name). Each
-- process adds to a row of its own; the sum counts.
CREATE TABLE IF NOT EXISTS row_counts (
  class   VARCHAR(64) NOT NULL,
  version VARCHAR(32) NOT NULL,
  kind    VARCHAR(16) NOT NULL,
  slot    CHAR(2)     NOT NULL,
  objects BIGINT      NOT NULL,
  writes  BIGINT      NOT NULL,
  PRIMARY KEY (class, version, kind, slot),
  KEY row_counts_by_release (version)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

ALTER TABLE history DROP INDEX IF EXISTS history_by_kind, DROP INDEX IF EXISTS history_by_date,
  ADD INDEX IF NOT EXISTS history_by_name (version, class, name, kind, tag_bits),
  ADD INDEX IF NOT EXISTS history_by_recording (version, sid, class, kind),
  ADD INDEX IF NOT EXISTS history_by_size (version, kind, bytes DESC, class, name);
