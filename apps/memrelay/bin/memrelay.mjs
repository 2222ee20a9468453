#!/usr/bin/env node
/**
 * `npx memrelay` in a clone: builds the command if its sources have changed, and runs it under this Node. Plain JavaScript,
 * for any Node. The published package has a file of its own instead (scripts/build/stage.mjs).
 */
import { builtEntry } from '../../../scripts/build/built.mjs';
import { oldNodeMessage } from '../../../scripts/build/supported-node.mjs';
import { endWithShell } from '../../../scripts/launch/end-with-shell.mjs';
import { keepCompiled } from '../../../scripts/launch/keep-compiled.mjs';

const problem = oldNodeMessage('memrelay');
if (problem) {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
endWithShell();
const entry = builtEntry('memrelay', 'memrelay', {
  // On stderr, so that --json stays clean
  onBuild: () => void process.stderr.write('Building memrelay, once for these sources …\n'),
});
keepCompiled(new URL('./compiled', entry));
await import(entry.href);
