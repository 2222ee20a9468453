#!/usr/bin/env node
/**
 * Entry of the stdio package in a clone, for Node 20 and newer: builds it if its sources have changed. stdout belongs to the
 * protocol. The published package has a different file instead (scripts/build/stage.mjs).
 */
import { builtEntry } from '../../../scripts/build/built.mjs';
import { oldNodeMessage } from '../../../scripts/build/supported-node.mjs';
import { keepCompiled } from '../../../scripts/launch/keep-compiled.mjs';

let problem = oldNodeMessage('memrelay-mcp');
let entry;
try {
  entry = problem === undefined ? builtEntry('memrelay-mcp', 'memrelay-mcp') : undefined;
} catch (error) {
  problem = error.message;
}
if (!entry) {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
keepCompiled(new URL('./compiled', entry));
await import(entry.href);
