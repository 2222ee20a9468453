"""All memories as one encrypted file, the same format as the TypeScript client writes (docs/export-and-import.md)."""
