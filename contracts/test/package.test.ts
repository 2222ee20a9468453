import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { accountAbort } from '@memrelay/chain/account-limits';
import { beforeAll, expect, test } from 'vitest';
import { moduleIdentifiers } from '../src/module-identifiers.ts';
import { type CompiledPackage, compilePackage, packageFiles } from '../src/move-package.ts';

const accountSource = packageFiles()['sources/account.move']!;
let compiled: CompiledPackage;

beforeAll(async () => {
  compiled = await compilePackage();
});

/**
 * If this fails, you have changed the published package. A new layout or rule requires a new package with new
 * vectors, and existing accounts on chain keep using the old one. Regenerate with `npm run vectors -w
 * @memrelay/contracts`.
 */
test('the compiled package matches vectors/build.json', async () => {
  const modules = compiled.modules.map((module) => createHash('sha256').update(module).digest('hex'));
  const build = `${JSON.stringify({ digest: compiled.digest, modules }, null, 2)}\n`;
  await expect(build).toMatchFileSnapshot(fileURLToPath(import.meta.resolve('../vectors/build.json')));
});

test('exactly two function names begin with seal_approve, both in one module', () => {
  // Key servers run any function with this prefix, so a third one would be a back door.
  const approvals = compiled.modules
    .map((module) => moduleIdentifiers(module).filter((name) => name.startsWith('seal_approve')))
    .filter((names) => names.length > 0);
  expect(approvals).toEqual([['seal_approve', 'seal_approve_at']]);
});

test('finds a function with the prefix in any module', async () => {
  const files = packageFiles();
  files['sources/scope.move'] += '\nentry fun seal_approve_all(_id: vector<u8>) {}\n';
  const { modules } = await compilePackage(files);
  expect(modules.flatMap(moduleIdentifiers)).toContain('seal_approve_all');
});

test.each(['seal_approve', 'seal_approve_at'])('%s is an entry function and not public', async (name) => {
  expect(accountSource).toMatch(new RegExp(`^entry fun ${name}\\(`, 'm'));
  const clock = name === 'seal_approve' ? '' : 'clock: &sui::clock::Clock, ';
  const files = packageFiles();
  files['sources/caller.move'] = `module memrelay::caller;
    public fun call(id: vector<u8>, account: &memrelay::account::Account, ${clock}ctx: &TxContext) {
      memrelay::account::${name}(id, account, ${clock && 'clock, '}ctx)
    }`;
  await expect(compilePackage(files)).rejects.toThrow(/restricted visibility/);
});

test('abort codes match those in TypeScript and in the README', () => {
  const declared = [...accountSource.matchAll(/^const E([A-Z][a-z]\w*): u64 = (\d+);/gm)].map(
    ([, name, code]) => [name!.replace(/(?<=.)[A-Z]/g, (letter) => `_${letter}`).toLowerCase(), Number(code)],
  );
  expect(Object.fromEntries(declared)).toEqual(accountAbort);
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const listed = [...readme.matchAll(/^\| (\d+) \| `(\w+)` \|/gm)].map(([, code, name]) => [
    name,
    Number(code),
  ]);
  expect(Object.fromEntries(listed)).toEqual(accountAbort);
});
