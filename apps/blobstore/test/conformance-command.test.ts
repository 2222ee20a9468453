import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { runConformance, usage } from '../conformance/command.ts';
import { allRows } from '../conformance/rows/all-rows.ts';
import { startStore } from './running-store.ts';

async function run(...args: string[]): Promise<{ code: number; text: string }> {
  const lines: string[] = [];
  const code = await runConformance(args, {}, (line) => lines.push(line));
  return { code, text: lines.join('\n') };
}

test('prints passed and skipped rows with the reason, and a count at the end', async () => {
  const { url } = await startStore();
  const { code, text } = await run('--aggregator', url, '--shards', '31');
  expect(code).toBe(0);
  expect(text).toContain('A blob store of this repository');
  expect(text).toContain('  ✓ /status is 200 with the text OK');
  expect(text).toContain('skipped: no publisher given');
  expect(text).toMatch(new RegExp(`${allRows.length} rows: \\d+ hold, 0 fail, \\d+ skipped$`));
});

test('reports a failed row and exits with code 1', async () => {
  const { url } = await startStore();
  // A wrong path stands for a service that is not Walrus.
  const { code, text } = await run('--aggregator', `${url}/v1`);
  expect(code).toBe(1);
  expect(text).toContain('Another Walrus service');
  expect(text).toMatch(/ {2}✗ \/status is 200 with the text OK\n {6}status 404, expected 200/);
});

test('does not send the admin token to third-party services', async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.headers.authorization ?? ''} ${request.url}`);
    response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  await runConformance([url], { BLOBSTORE_ADMIN_TOKEN: 'of-another-service' }, () => undefined);
  server.close();
  expect(asked.length).toBeGreaterThan(100);
  expect(asked.filter((line) => /of-another-service|\/admin/.test(line))).toEqual([]);
});

test('runs nothing without a service', async () => {
  expect(await run()).toEqual({ code: 2, text: usage });
  expect(await run('http://127.0.0.1:1')).toMatchObject({ code: 2 });
  expect((await run('http://127.0.0.1:1', '--shards=x')).text).toContain('--shards');
  expect((await run('http://127.0.0.1:1', '--token-publisher=x')).text).toContain('JWT_DECODE_SECRET');
});

test('all rows have different names', () => {
  const names = allRows.map(({ section, name, only }) => `${section} ${name} ${only ?? ''}`);
  expect(new Set(names).size).toBe(names.length);
});
