-- Schema 8 made schema 9: no index of `objects` holds contents, since objects that may have been renamed are
-- found by their names. `varve init` runs it.
-- SPDX-License-Identifier: MIT

DROP INDEX IF EXISTS objects_by_content;
