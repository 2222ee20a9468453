/** Memories in one call of `/api/export`; fewer if they are large. */
export const exportLimit = { default: 50, max: 100 } as const;

/** Memories in one call of `/api/import`. The body limit applies as well. */
export const importItems = 50;
