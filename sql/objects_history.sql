-- The store of Varve on MariaDB (10.5 or newer): docs/schema.md tells what each column means.
-- SPDX-License-Identifier: MIT
--
--   mariadb DATABASE < sql/objects_history.sql
--
-- Run twice it changes nothing; `varve init` runs these same statements. This file is
-- migration 1: it is never edited once released, later changes are migrations of their own.
--
-- Days and times are text of fixed width, "2008-02-15" and "2008-02-15T09:15:20Z", so that
-- both engines hold the same bytes, order them the same way, and no session's time zone or
-- zero-date mode can change them. A DATE column of the first system converts as it is.
-- utf8mb4_nopad_bin: 'a', 'A' and 'a ' are three keys, as they are for SQLite.

CREATE TABLE IF NOT EXISTS releases (
  version     VARCHAR(32) NOT NULL,
  released_on CHAR(10)    NOT NULL,
  digest      VARCHAR(64) NOT NULL DEFAULT '',
  PRIMARY KEY (version)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS objects (
  oid                    BIGINT       NOT NULL AUTO_INCREMENT,
  class                  VARCHAR(64)  NOT NULL,
  name                   VARCHAR(512) NOT NULL,
  name_key               VARCHAR(512) NOT NULL,
  label                  VARCHAR(512) NOT NULL DEFAULT '',
  signature              CHAR(32)     NOT NULL DEFAULT '',
  last_modification_date CHAR(10)     NOT NULL DEFAULT '2007-01-01',
  ace_version            VARCHAR(32)  NOT NULL DEFAULT '',
  hits                   BIGINT       NOT NULL DEFAULT 0,
  last_requested         CHAR(20)     NOT NULL DEFAULT '',
  PRIMARY KEY (oid),
  UNIQUE KEY objects_by_name (class, name),
  KEY objects_by_key (name_key, class),
  KEY objects_by_content (class, signature),
  KEY objects_by_hits (hits)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS history (
  sid         BIGINT      NOT NULL AUTO_INCREMENT,
  oid         BIGINT      NOT NULL,
  version     VARCHAR(32) NOT NULL,
  revision    BIGINT      NOT NULL DEFAULT 0,
  since       VARCHAR(32) NOT NULL DEFAULT '',
  date        CHAR(10)    NOT NULL,
  recorded_at CHAR(20)    NOT NULL,
  signature   CHAR(32)    NOT NULL DEFAULT '',
  kind        VARCHAR(16) NOT NULL,
  label       LONGTEXT    NOT NULL,
  notes       LONGTEXT    NOT NULL,
  PRIMARY KEY (sid),
  UNIQUE KEY history_by_object (oid, version),
  KEY history_by_release (version, oid),
  KEY history_by_date (date, sid),
  CONSTRAINT history_of_object FOREIGN KEY (oid) REFERENCES objects (oid)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS trees (
  oid     BIGINT      NOT NULL,
  version VARCHAR(32) NOT NULL,
  tree    LONGBLOB    NOT NULL,
  PRIMARY KEY (oid, version),
  CONSTRAINT tree_of_object FOREIGN KEY (oid) REFERENCES objects (oid)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS accepted (
  version     VARCHAR(32) NOT NULL,
  digest      VARCHAR(64) NOT NULL,
  accepted_at CHAR(20)    NOT NULL,
  PRIMARY KEY (version, digest)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS meta (
  name  VARCHAR(64) NOT NULL,
  value BIGINT      NOT NULL,
  PRIMARY KEY (name)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Last, because a schema that has its number is whole.
INSERT INTO meta (name, value) VALUES ('generation', 0), ('schema', 1)
  ON DUPLICATE KEY UPDATE value = value;
