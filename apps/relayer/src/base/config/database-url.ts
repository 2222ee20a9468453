const embedded = 'pglite:';

/** True when DATABASE_URL names an embedded directory: its keys may then be generated on the spot. */
export function isEmbedded(databaseUrl: string): boolean {
  return databaseUrl.startsWith(embedded);
}

/** The directory that the URL of an embedded database names. */
export function embeddedDirectory(databaseUrl: string): string {
  return databaseUrl.slice(embedded.length);
}
