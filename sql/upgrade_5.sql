-- Schema 4 made schema 5: renames have a table of their own. `varve init` runs it, and the program
-- fills the table from the notes of vanished objects (src/store/schema.cpp).
-- SPDX-License-Identifier: MIT

-- Objects that vanished in a release while one other object of their class was created with the
-- content they had. Two rows with the same new name are no rename. digest: empty, or that of a
-- re-publication that is not in force for the object yet.
CREATE TABLE IF NOT EXISTS renames (
  version   VARCHAR(32)  NOT NULL,
  oid       BIGINT       NOT NULL,
  digest    VARCHAR(64)  NOT NULL DEFAULT '',
  class     VARCHAR(64)  NOT NULL,
  signature CHAR(32)     NOT NULL,
  new_name  VARCHAR(512) NOT NULL,
  PRIMARY KEY (version, oid, digest),
  KEY renames_by_oid (oid),
  CONSTRAINT rename_of_object FOREIGN KEY (oid) REFERENCES objects (oid)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
