-- Of the numbers and the negations of a text, under the key of its words: texts that differ in these say different things,
-- however near they are. NULL: the text was never indexed, or before this column
ALTER TABLE memory ADD COLUMN distinctions bigint
--
-- An earlier memory that says nearly the same, and the cosine of the two when this one was stored
ALTER TABLE memory ADD COLUMN near_duplicate_of uuid
--
ALTER TABLE memory ADD COLUMN near_similarity real
