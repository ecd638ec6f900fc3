-- Schema 2 made schema 3: objects are found by what people call them, and who may read a
-- private site. `varve init` runs it.
-- SPDX-License-Identifier: MIT

-- Filled by the program, and its index added, as schema 4.
ALTER TABLE objects ADD COLUMN IF NOT EXISTS label_key VARCHAR(512) NOT NULL DEFAULT '';

-- Who may read a private site.
CREATE TABLE IF NOT EXISTS tokens (
  name       VARCHAR(64) NOT NULL,
  token_hash CHAR(64)    NOT NULL,
  created_at CHAR(20)    NOT NULL,
  PRIMARY KEY (name),
  UNIQUE KEY tokens_by_hash (token_hash)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
