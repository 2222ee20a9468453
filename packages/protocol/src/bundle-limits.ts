/** Memories in one call of `/api/export`; fewer where they are large. */
export const exportLimit = { default: 50, max: 100 } as const;

/** Memories in one call of `/api/import`, whose body is bounded like every other. */
export const importItems = 50;
