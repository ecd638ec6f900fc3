-- Schema 2 made schema 3: objects are found by what people call them, and who may read a
-- private site. `varve init` runs it.
-- SPDX-License-Identifier: MIT

ALTER TABLE objects ADD COLUMN IF NOT EXISTS label_key VARCHAR(512) NOT NULL DEFAULT '',
  ADD INDEX IF NOT EXISTS objects_by_label (label_key, class);

-- ASCII letters in lower case, as the program folds them: LOWER() would fold all others too.
UPDATE objects SET label_key =
  REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(
  REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(
  REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(
  REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(
  label, 'A', 'a'), 'B', 'b'), 'C', 'c'), 'D', 'd'), 'E', 'e'),
  'F', 'f'), 'G', 'g'), 'H', 'h'), 'I', 'i'), 'J', 'j'), 'K', 'k'),
  'L', 'l'), 'M', 'm'), 'N', 'n'), 'O', 'o'), 'P', 'p'), 'Q', 'q'),
  'R', 'r'), 'S', 's'), 'T', 't'), 'U', 'u'), 'V', 'v'), 'W', 'w'),
  'X', 'x'), 'Y', 'y'), 'Z', 'z')
  WHERE label <> '' AND label <> name;

-- Who may read a private site.
CREATE TABLE IF NOT EXISTS tokens (
  name       VARCHAR(64) NOT NULL,
  token_hash CHAR(64)    NOT NULL,
  created_at CHAR(20)    NOT NULL,
  PRIMARY KEY (name),
  UNIQUE KEY tokens_by_hash (token_hash)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
