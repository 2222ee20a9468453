import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { runScript } from './run-script.mjs';

it('prints everything at the end of the script, if requested', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'memrelay-script-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const script = join(directory, 'script.mjs');
  writeFileSync(
    script,
    `process.stdout.write('first\\n', () => process.stderr.write('x'.repeat(200_000), () => process.exit(3)));`,
  );
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => write.mockRestore());
  expect(await runScript(script, [], { output: 'at-end' })).toBe(3);
  const printed = write.mock.calls.map(([chunk]) => String(chunk)).filter((text) => text !== '');
  expect(printed).toEqual([`first\n${'x'.repeat(200_000)}`]);
});
