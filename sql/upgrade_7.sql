-- Schema 6 made schema 7: watch lists have short addresses. `varve init` runs it.
-- SPDX-License-Identifier: MIT

-- Watch lists that are kept under a short address.
CREATE TABLE IF NOT EXISTS watch_lists (
  id         CHAR(16)    NOT NULL,
  objects    LONGTEXT    NOT NULL,
  created_at CHAR(20)    NOT NULL,
  last_used  CHAR(10)    NOT NULL,
  PRIMARY KEY (id),
  KEY watch_lists_by_use (last_used)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
