import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultPorts } from '@memrelay/protocol/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { portsOf, readPorts, rememberPorts } from '../src/system/ports.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'memrelay-ports-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('remembers a changed port until it is changed again', async () => {
  const file = join(folder, 'ports.json');
  await rememberPorts(file, portsOf({}, await readPorts(file)));
  await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
  const moved = { PORT: '8801', SIDECAR_URL: 'http://127.0.0.1:9901' };
  await rememberPorts(file, portsOf(moved, await readPorts(file)));
  expect(portsOf({}, await readPorts(file))).toEqual({ ...defaultPorts, relayer: 8801, sidecar: 9901 });
  await rememberPorts(file, portsOf({ DASHBOARD_PORT: '5901' }, await readPorts(file)));
  expect(await readPorts(file)).toEqual({ relayer: 8801, sidecar: 9901, dashboard: 5901 });
  const back = { PORT: '8000', SIDECAR_URL: 'http://127.0.0.1:9000', DASHBOARD_PORT: '5173' };
  await rememberPorts(file, portsOf(back, await readPorts(file)));
  expect(portsOf({}, await readPorts(file))).toEqual(defaultPorts);
});

test('ignores a damaged file', async () => {
  const file = join(folder, 'damaged.json');
  for (const text of ['{', '[]', '{"relayer":"8000"}', '{"relayer":70000}']) {
    await writeFile(file, text);
    expect(await readPorts(file)).toEqual({});
  }
});
