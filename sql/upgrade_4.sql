-- Schema 3 made schema 4: objects are found by what people call them. `varve init` runs it, after
-- the program has filled the column, 10,000 objects at a time (src/store/label_keys.cpp): one
-- UPDATE of millions is more than a cluster takes, and SQL folds other letters than ASCII's too.
-- SPDX-License-Identifier: MIT

ALTER TABLE objects ADD INDEX IF NOT EXISTS objects_by_label (label_key, class);
