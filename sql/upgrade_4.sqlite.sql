-- Schema 3 made schema 4: objects are found by what people call them. `varve init` runs it, after
-- the program has filled the column (src/store/label_keys.cpp).
-- SPDX-License-Identifier: MIT

CREATE INDEX IF NOT EXISTS objects_by_label ON objects (label_key, class);
