import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

const program = `
  const { createServer } = await import('node:http');
  const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1', async () => {
    const { headers } = await fetch('http://127.0.0.1:' + server.address().port);
    const date = new Date();
    class Day extends Date {}
    console.log(JSON.stringify({
      now: Date.now(), made: date.getTime(), header: Date.parse(headers.get('date')), given: new Date(5).getTime(),
      isDate: date instanceof Date, isDay: new Day() instanceof Day, iso: new Date(Date.UTC(2026, 0, 1)).toISOString(),
    }));
    server.close();
  });`;

test('shows the shifted time in every API, and dates remain dates', () => {
  const directory = mkdtempSync(join(tmpdir(), 'memrelay-clock-'));
  const dayMs = 24 * 3_600_000;
  try {
    const file = join(directory, 'clock');
    writeFileSync(file, String(dayMs));
    const clock = pathToFileURL(join(import.meta.dirname, 'shifted-clock.ts'));
    clock.searchParams.set('file', file);
    const { stdout } = spawnSync(
      process.execPath,
      [`--import=${clock.href}`, '--input-type=module', '-e', program],
      { encoding: 'utf8' },
    );
    const shown = JSON.parse(stdout);
    for (const time of [shown.now, shown.made, shown.header])
      expect(Math.abs(time - dayMs - Date.now())).toBeLessThan(30_000);
    expect(shown).toMatchObject({ given: 5, isDate: true, isDay: true, iso: '2026-01-01T00:00:00.000Z' });
  } finally {
    rmSync(directory, { recursive: true });
  }
});
