-- Schema 10 made schema 11: the WebSub hub has tables of its own. `varve init` runs it.
-- SPDX-License-Identifier: MIT

CREATE TABLE IF NOT EXISTS topics (
  id            BIGINT NOT NULL AUTO_INCREMENT,
  url           VARCHAR(2048) NOT NULL,
  url_digest    VARCHAR(64) NOT NULL,
  subject       VARCHAR(16) NOT NULL,
  class         VARCHAR(64) NOT NULL,
  name          VARCHAR(512) NOT NULL,
  version       VARCHAR(32) NOT NULL,
  position      VARCHAR(128) NOT NULL DEFAULT '',
  notifications BIGINT NOT NULL DEFAULT 0,
  activations   BIGINT NOT NULL DEFAULT 0,
  looked_in     VARCHAR(32) NOT NULL DEFAULT '',
  row_seen      VARCHAR(96) NOT NULL DEFAULT '',
  PRIMARY KEY (id),
  UNIQUE KEY topics_by_url (url_digest),
  KEY topics_by_object (class, name),
  KEY topics_by_subject (subject, looked_in)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS subscriptions (
  id                 BIGINT NOT NULL AUTO_INCREMENT,
  topic              BIGINT NOT NULL,
  callback           VARCHAR(2048) NOT NULL,
  callback_digest    VARCHAR(64) NOT NULL,
  host               VARCHAR(255) NOT NULL,
  expires_at         CHAR(20) NOT NULL DEFAULT '',
  topic_url          VARCHAR(2048) NOT NULL DEFAULT '',
  secret             VARCHAR(255) NOT NULL DEFAULT '',
  method             VARCHAR(8) NOT NULL DEFAULT '',
  lease              BIGINT NOT NULL DEFAULT 0,
  reader             VARCHAR(64) NOT NULL DEFAULT '',
  verify_token       VARCHAR(512) NOT NULL DEFAULT '',
  speaks_03          BIGINT NOT NULL DEFAULT 0,
  renewal_of         CHAR(20) NOT NULL DEFAULT '',
  asked              VARCHAR(16) NOT NULL DEFAULT '',
  asked_number       BIGINT NOT NULL DEFAULT 0,
  asked_at           CHAR(20) NOT NULL DEFAULT '',
  asked_from         BIGINT NOT NULL DEFAULT 0,
  asked_topic_url    VARCHAR(2048) NOT NULL DEFAULT '',
  asked_secret       VARCHAR(255) NOT NULL DEFAULT '',
  asked_method       VARCHAR(8) NOT NULL DEFAULT '',
  asked_lease        BIGINT NOT NULL DEFAULT 0,
  asked_reader       VARCHAR(64) NOT NULL DEFAULT '',
  asked_verify_token VARCHAR(512) NOT NULL DEFAULT '',
  asked_speaks_03    BIGINT NOT NULL DEFAULT 0,
  verify_at          CHAR(20) NOT NULL DEFAULT '',
  verify_tries       BIGINT NOT NULL DEFAULT 0,
  verify_claim       BIGINT NOT NULL DEFAULT 0,
  delivered          BIGINT NOT NULL DEFAULT 0,
  queued             BIGINT NOT NULL DEFAULT 0,
  due_at             CHAR(20) NOT NULL DEFAULT '',
  tries              BIGINT NOT NULL DEFAULT 0,
  failing_since      CHAR(20) NOT NULL DEFAULT '',
  given_up           BIGINT NOT NULL DEFAULT 0,
  claim              BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (id),
  UNIQUE KEY subscriptions_by_callback (topic, callback_digest),
  KEY subscriptions_by_host (host, asked),
  KEY subscriptions_by_due (due_at, host),
  KEY subscriptions_by_verification (verify_at),
  KEY subscriptions_by_expiry (expires_at)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS notifications (
  topic        BIGINT NOT NULL,
  number       BIGINT NOT NULL,
  content_type VARCHAR(255) NOT NULL,
  body         LONGBLOB NOT NULL,
  made_at      CHAR(20) NOT NULL,
  PRIMARY KEY (topic, number),
  KEY notifications_by_time (made_at)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS hub_notes (
  name   VARCHAR(64) NOT NULL,
  number BIGINT NOT NULL DEFAULT 0,
  text   VARCHAR(512) NOT NULL DEFAULT '',
  PRIMARY KEY (name)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
