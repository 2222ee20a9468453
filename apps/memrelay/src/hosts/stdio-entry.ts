import { fileURLToPath } from 'node:url';

/**
 * The entry of the stdio package. In a clone this file builds the package if its sources have changed; a published package
 * contains it built.
 */
export const stdioEntry = fileURLToPath(
  new URL('../../../../packages/mcp/bin/memrelay-mcp.mjs', import.meta.url),
);
