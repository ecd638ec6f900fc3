-- Schema 2 made schema 3: objects are found by what people call them, and who may read a
-- private site. `varve init` runs it.
-- SPDX-License-Identifier: MIT

-- Filled by the program, and its index added, as schema 4.
ALTER TABLE objects
  ADD COLUMN label_key TEXT NOT NULL DEFAULT '' CHECK (length(label_key) <= 512);

-- Who may read a private site.
CREATE TABLE IF NOT EXISTS tokens (
  name       TEXT NOT NULL PRIMARY KEY CHECK (length(name) <= 64),
  token_hash TEXT NOT NULL UNIQUE CHECK (length(token_hash) <= 64),
  created_at TEXT NOT NULL CHECK (length(created_at) <= 20)
) STRICT;
