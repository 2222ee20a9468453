#!/usr/bin/env node
/**
 * Entry of the stdio package, for Node 20 and newer. It runs what was built; in a checkout it builds first when that is
 * missing or older than its sources. stdout belongs to the protocol.
 */
import { existsSync } from 'node:fs';

const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 20) {
  process.stderr.write(`memrelay-mcp needs Node 20 or newer; this is ${process.versions.node}.\n`);
  process.exit(1);
}

const built = new URL('../dist/main.mjs', import.meta.url);
const builder = new URL('../build/build.mjs', import.meta.url);
// A published package has no builder.
if (existsSync(builder)) {
  const { buildIfOld } = await import(builder.href);
  try {
    await buildIfOld();
  } catch (error) {
    const old = existsSync(built);
    process.stderr.write(
      `memrelay-mcp could not be built${old ? ', so an older build runs' : ' (npm ci, then try again)'}: ${error.message}\n`,
    );
    if (!old) process.exit(1);
  }
}
await import(built.href);
