import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BundledClient, bundleClient } from './bundled-client.ts';

/** Maximum size in bytes of the plain client with all its imports, minified and gzipped */
const maxGzipBytes = 25_000;

let bundled: BundledClient;
beforeAll(async () => {
  bundled = await bundleClient();
});
afterAll(() => bundled[Symbol.asyncDispose]());

it('contains no node module, no zod and no chain client', () => {
  expect(bundled.modules.length).toBeGreaterThan(20);
  expect(bundled.modules.filter((id) => /node:|\/zod\/|@mysten/.test(id))).toEqual([]);
  expect(bundled.code).not.toMatch(/\bfrom\s*["'`]|(?<!\/)\bimport\s*["'`(]|\brequire\s*\(|node:/);
});

it('stays small', () => {
  const bytes = gzipSync(bundled.code).length;
  process.stdout.write(`plain client: ${bundled.code.length} bytes minified, ${bytes} gzipped\n`);
  expect(bytes).toBeLessThan(maxGzipBytes);
});
