-- Schema 9 made schema 10: filters pass over rows without a tag in an index. `varve init` runs it, after
-- the program has made the column `tag_bits` of `history` and filled it (src/store/schema.cpp).
-- SPDX-License-Identifier: MIT

ALTER TABLE history DROP INDEX IF EXISTS history_by_name,
  ADD INDEX history_by_name (version, class, name, kind, tag_bits);
