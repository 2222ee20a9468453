import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createChainClient } from '@memrelay/chain/chain-client';
import { MemRelay } from '@memrelay/sdk/mem-relay';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../src/launch-chromium.ts';
import { type PrivateSystem, startPrivateSystem } from '../../src/private-system.ts';
import { newTestKey } from '../../src/test-owner.ts';

/** Tests what an unrelated web page in the owner's browser can do to a local system. */

let system: PrivateSystem;
let pages: Server;
let browser: Browser;
beforeAll(async () => {
  pages = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>page</title>'),
  ).listen(0, '127.0.0.1');
  await once(pages, 'listening');
  [system, browser] = await Promise.all([
    startPrivateSystem(),
    // A domain whose owner has pointed it at this machine
    launchChromium('--host-resolver-rules=MAP rebound.test 127.0.0.1'),
  ]);
});
afterAll(async () => {
  await browser?.close();
  pages?.close();
  await system?.dispose();
});

interface Attempt {
  url: string;
  method: 'PUT' | 'POST' | 'GET';
  /** Undefined to send no content type, like a Blob without a type */
  type?: string | undefined;
  body?: string;
}

type Mode = 'cors' | 'no-cors';

/** Sends a request from the page. Returns its status, `opaque` if the page cannot read the response, `failed` without one. */
function attempt(page: Page, { url, method, type, body }: Attempt, mode: Mode): Promise<string> {
  return page.evaluate(
    async ({ url, method, type, body, mode }) => {
      const payload =
        body === undefined ? {} : { body: new Blob([body], type === undefined ? {} : { type }) };
      try {
        const response = await fetch(url, { method, mode, ...payload });
        return response.type === 'opaque' ? 'opaque' : String(response.status);
      } catch {
        return 'failed';
      }
    },
    { url, method, type, body, mode },
  );
}

/** A page on this origin, and the statuses of its requests. */
async function openPage(url: string): Promise<{ page: Page; statuses: number[] }> {
  const page = await browser.newPage();
  await page.goto(url);
  const statuses: number[] = [];
  page.on('response', (response) => statuses.push(response.status()));
  return { page, statuses };
}

const elsewhere = (): string => `http://127.0.0.1:${(pages.address() as AddressInfo).port}/`;
const storedFiles = async (): Promise<string[]> =>
  (await readdir(join(system.dataDir, 'blobstore', 'objects'), { recursive: true })).sort();
const balanceOf = async (address: string): Promise<string> =>
  (
    await createChainClient({ network: 'localnet', baseUrl: system.urls.localnet }).sui.core.getBalance({
      owner: address,
    })
  ).balance.balance;

describe('a page of another origin', () => {
  const json = 'application/json';
  test.each([undefined, 'text/plain', 'application/x-www-form-urlencoded', json])(
    'changes nothing with bodies of type %s',
    async (type) => {
      const { relayer, localnet, blobstore } = system.urls;
      const { address } = newTestKey();
      const before = await storedFiles();
      const recipient = JSON.stringify({ recipient: address });
      const sponsored = JSON.stringify({ sender: address, transactionBlockKindBytes: 'A'.repeat(16) });
      const rpc = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
      const attempts: Attempt[] = [
        { method: 'PUT', url: `${blobstore}/v1/blobs`, type, body: 'junk' },
        { method: 'PUT', url: `${blobstore}/v1/quilts`, type, body: 'junk' },
        { method: 'POST', url: `${blobstore}/v1/blob-upload-relay?blob_id=x`, type, body: 'junk' },
        { method: 'POST', url: `${localnet}/faucet`, type, body: recipient },
        { method: 'POST', url: `${localnet}/`, type, body: rpc },
        { method: 'POST', url: `${relayer}/sponsor`, type, body: sponsored },
        { method: 'POST', url: `${relayer}/sponsor/execute`, type, body: '{}' },
        { method: 'POST', url: `${relayer}/api/remember`, type, body: '{"text":"junk"}' },
        { method: 'POST', url: `${relayer}/api/mcp`, type, body: rpc },
      ];
      const { page, statuses } = await openPage(elsewhere());
      for (const one of attempts) {
        expect(await attempt(page, one, 'cors'), one.url).toBe('failed');
        expect(await attempt(page, one, 'no-cors'), one.url).toMatch(/^(opaque|failed)$/);
      }
      await page.close();
      expect(statuses.length).toBeGreaterThan(0);
      for (const status of statuses) expect([401, 403, 404, 415]).toContain(status);
      expect(await storedFiles()).toEqual(before);
      expect(await balanceOf(address)).toBe('0');
    },
  );

  test('may read public data', async () => {
    const { page } = await openPage(elsewhere());
    for (const url of [`${system.urls.blobstore}/status`, `${system.urls.localnet}/info`])
      expect(await attempt(page, { method: 'GET', url }, 'cors')).toBe('200');
    await page.close();
  });
});

test('reads nothing from any part through a domain rebound to this machine', async () => {
  const urls = [system.urls.relayer, system.urls.localnet, system.urls.blobstore, system.urls.dashboard];
  const paths = ['/health', '/config', '/ready', '/info', '/status', '/', '/key/0/v1/service'];
  for (const url of urls) {
    const { page, statuses } = await openPage(`http://rebound.test:${new URL(url).port}/health`);
    expect(await page.textContent('body')).not.toContain('version');
    for (const path of paths) await attempt(page, { method: 'GET', url: path }, 'cors');
    await attempt(page, { method: 'POST', url: '/faucet', type: 'application/json', body: '{}' }, 'cors');
    await attempt(page, { method: 'PUT', url: '/v1/blobs', body: 'junk' }, 'cors');
    await page.close();
    expect(new Set(statuses)).toEqual(new Set([403]));
  }
});

test("allows the dashboard's pages to use the faucet, and stores memories with the secret of the start", async () => {
  const { page } = await openPage(system.urls.dashboard);
  const { address } = newTestKey();
  const gift = {
    method: 'POST',
    type: 'application/json',
    body: JSON.stringify({ recipient: address }),
  } as const;
  expect(await attempt(page, { ...gift, url: `${system.urls.localnet}/faucet` }, 'cors')).toBe('200');
  await page.close();
  expect(BigInt(await balanceOf(address))).toBeGreaterThan(0n);
  const client = MemRelay.fromCredentials(system.credentials);
  await client.rememberAndWait('stored by its owner');
  expect((await client.recall('what was stored?')).results).toHaveLength(1);
  client.destroy();
});
