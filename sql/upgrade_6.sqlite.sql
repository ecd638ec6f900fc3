-- Schema 5 made schema 6: objects are found by any word of their labels and other names. `varve
-- init` runs it, and the program fills the table from names and labels (src/store/schema.cpp).
-- SPDX-License-Identifier: MIT

-- The words by which objects are found. A row whose object has the word no longer does no harm.
CREATE TABLE IF NOT EXISTS words (
  word  TEXT NOT NULL CHECK (length(word) <= 64),
  class TEXT NOT NULL CHECK (length(class) <= 64),
  name  TEXT NOT NULL CHECK (length(name) <= 512),
  PRIMARY KEY (word, class, name)
) STRICT, WITHOUT ROWID;

ALTER TABLE objects
  ADD COLUMN other_names TEXT NOT NULL DEFAULT '' CHECK (length(other_names) <= 4000);
ALTER TABLE replacements
  ADD COLUMN other_names TEXT NOT NULL DEFAULT '' CHECK (length(other_names) <= 4000);
