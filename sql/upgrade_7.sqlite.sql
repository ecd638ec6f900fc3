-- Schema 6 made schema 7: watch lists have short addresses. `varve init` runs it.
-- SPDX-License-Identifier: MIT

-- Watch lists that are kept under a short address.
CREATE TABLE IF NOT EXISTS watch_lists (
  id         TEXT NOT NULL PRIMARY KEY CHECK (length(id) <= 16),
  objects    TEXT NOT NULL,
  created_at TEXT NOT NULL CHECK (length(created_at) <= 20),
  last_used  TEXT NOT NULL CHECK (length(last_used) <= 10)
) STRICT;
CREATE INDEX IF NOT EXISTS watch_lists_by_use ON watch_lists (last_used);
