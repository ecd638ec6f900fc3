-- Schema 8 made schema 9: no index of `objects` holds contents, since objects that may have been renamed are
-- found by their names, and two have only rows that queries find by them. `varve init` runs it.
-- SPDX-License-Identifier: MIT

DROP INDEX IF EXISTS objects_by_content;
DROP INDEX IF EXISTS objects_by_hits;
CREATE INDEX IF NOT EXISTS objects_by_hits ON objects (hits) WHERE hits > 0;
DROP INDEX IF EXISTS objects_by_label;
CREATE INDEX IF NOT EXISTS objects_by_label ON objects (label_key, class) WHERE label_key <> '';
