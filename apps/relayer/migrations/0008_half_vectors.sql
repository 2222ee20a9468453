-- 16-bit floats: half the disk and half the pages that a search reads, and the same ten nearest memories (measured). Vectors
-- are unit vectors, so no value is out of range. Two rows of 1536 dimensions fit a page.
ALTER TABLE memory_vector ALTER COLUMN embedding TYPE halfvec USING embedding::halfvec
--
ALTER TABLE lost_vector ALTER COLUMN embedding TYPE halfvec USING embedding::halfvec
