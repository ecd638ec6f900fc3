-- Schema 9 made schema 10: trees may be compressed with a dictionary of their class. `varve init` runs it.
-- SPDX-License-Identifier: MIT

CREATE TABLE IF NOT EXISTS dictionaries (
  id         INTEGER NOT NULL PRIMARY KEY,
  class      TEXT NOT NULL CHECK (length(class) <= 64),
  dictionary BLOB NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS dictionaries_by_class ON dictionaries (class);
