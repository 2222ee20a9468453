#!/usr/bin/env node
/**
 * Entry of the stdio package, for Node 20 and newer. It runs what was built; in a checkout it builds first when that is
 * missing or older than its sources. stdout belongs to the protocol.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 20) {
  process.stderr.write(`memrelay-mcp needs Node 20 or newer; this is ${process.versions.node}.\n`);
  process.exit(1);
}

const builder = new URL('../build/build.mjs', import.meta.url);
// A published package has no builder.
if (existsSync(fileURLToPath(builder))) {
  const { buildIfOld } = await import(builder.href);
  try {
    await buildIfOld();
  } catch (error) {
    process.stderr.write(`memrelay-mcp could not be built (npm ci, then try again): ${error.message}\n`);
    process.exit(1);
  }
}
await import('../dist/main.mjs');
