-- Schema 1 made schema 2: what the release job needs. `varve init` runs it.
-- SPDX-License-Identifier: MIT

ALTER TABLE releases ADD COLUMN IF NOT EXISTS replacing BIGINT NOT NULL DEFAULT 0;
ALTER TABLE history DROP INDEX IF EXISTS history_by_release,
  ADD INDEX IF NOT EXISTS history_by_kind (version, kind, oid);

-- What the release job has finished: every object of the class (of all classes: the class
-- that has no name) is compared in the release, but for those in `failed`.
CREATE TABLE IF NOT EXISTS warmed (
  class     VARCHAR(64)  NOT NULL,
  version   VARCHAR(32)  NOT NULL,
  warmed_at CHAR(20)     NOT NULL,
  objects   BIGINT       NOT NULL,
  PRIMARY KEY (class, version)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Objects that a release job could not read.
CREATE TABLE IF NOT EXISTS failed (
  version VARCHAR(32)  NOT NULL,
  class   VARCHAR(64)  NOT NULL,
  name    VARCHAR(512) NOT NULL,
  reason  LONGTEXT     NOT NULL,
  PRIMARY KEY (version, class, name)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Who works on which part of a release job now, and what came of the parts that are done.
CREATE TABLE IF NOT EXISTS leases (
  task       VARCHAR(160) NOT NULL,
  part       BIGINT       NOT NULL,
  owner      VARCHAR(160) NOT NULL,
  expires_at CHAR(20)     NOT NULL,
  done       BIGINT       NOT NULL DEFAULT 0,
  result     LONGTEXT     NOT NULL,
  PRIMARY KEY (task, part)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Places that a release changed in most objects of a class.
CREATE TABLE IF NOT EXISTS mass_changes (
  version    VARCHAR(32)  NOT NULL,
  class      VARCHAR(64)  NOT NULL,
  path       VARCHAR(512) NOT NULL,
  objects    BIGINT       NOT NULL,
  of_objects BIGINT       NOT NULL,
  PRIMARY KEY (version, class, path)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- What a release that was published again comes to, object by object: in force once
-- releases.digest is theirs, and moved into place from then on.
CREATE TABLE IF NOT EXISTS replacements (
  version                VARCHAR(32)  NOT NULL,
  oid                    BIGINT       NOT NULL,
  digest                 VARCHAR(64)  NOT NULL,
  signature              CHAR(32)     NOT NULL,
  label                  LONGTEXT     NOT NULL,
  last_modification_date CHAR(10)     NOT NULL,
  kind                   VARCHAR(16)  NOT NULL,
  revision               BIGINT       NOT NULL,
  since                  VARCHAR(32)  NOT NULL,
  recorded_at            CHAR(20)     NOT NULL,
  notes                  LONGTEXT     NOT NULL,
  tree                   LONGBLOB     NULL,
  PRIMARY KEY (version, oid),
  CONSTRAINT replacement_of_object FOREIGN KEY (oid) REFERENCES objects (oid)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- One slot is moved on by a process: writers on several hosts don't wait for one row.
INSERT INTO meta (name, value) VALUES
  ('generation-00', 0), ('generation-01', 0), ('generation-02', 0), ('generation-03', 0),
  ('generation-04', 0), ('generation-05', 0), ('generation-06', 0), ('generation-07', 0),
  ('generation-08', 0), ('generation-09', 0), ('generation-10', 0), ('generation-11', 0),
  ('generation-12', 0), ('generation-13', 0), ('generation-14', 0), ('generation-15', 0)
  ON DUPLICATE KEY UPDATE value = value;
