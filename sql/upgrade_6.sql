-- Schema 5 made schema 6: objects are found by any word of their labels and other names. `varve
-- init` runs it, and the program fills the table from names and labels (src/store/schema.cpp).
-- SPDX-License-Identifier: MIT

-- The words by which objects are found. A row whose object has the word no longer does no harm.
CREATE TABLE IF NOT EXISTS words (
  word  VARCHAR(64)  NOT NULL,
  class VARCHAR(64)  NOT NULL,
  name  VARCHAR(512) NOT NULL,
  PRIMARY KEY (word, class, name)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

ALTER TABLE objects ADD COLUMN IF NOT EXISTS other_names VARCHAR(4000) NOT NULL DEFAULT '';
ALTER TABLE replacements ADD COLUMN IF NOT EXISTS other_names VARCHAR(4000) NOT NULL DEFAULT '';
