/**
 * Loaded into every part by `--import <this file>?out=<folder>`: on SIGUSR2 the process collects garbage and writes
 * its live memory to `<folder>/<pid>.json`, in bytes.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

const out = new URL(import.meta.url).searchParams.get('out');
if (isMainThread && out !== null) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  process.on('SIGUSR2', () => {
    collect();
    // Objects with finalizers are freed by the second collection
    setImmediate(() => {
      collect();
      const { heapUsed, external } = process.memoryUsage();
      const file = join(out, `${process.pid}.json`);
      writeFileSync(`${file}.part`, JSON.stringify({ heapUsed, external }));
      renameSync(`${file}.part`, file);
    });
  });
}
