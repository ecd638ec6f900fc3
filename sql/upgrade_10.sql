-- Schema 9 made schema 10: trees may be compressed with a dictionary of their class. `varve init` runs it.
-- SPDX-License-Identifier: MIT

CREATE TABLE IF NOT EXISTS dictionaries (
  id         BIGINT      NOT NULL,
  class      VARCHAR(64) NOT NULL,
  dictionary LONGBLOB    NOT NULL,
  PRIMARY KEY (id),
  KEY dictionaries_by_class (class)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
