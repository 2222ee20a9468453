import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { type EmbeddingProvider, startEmbeddingProvider } from '@memrelay/dev-env/embedding-provider';
import { launchChromium } from '@memrelay/dev-env/launch-chromium';
import { createTestBackend, type TestBackend } from '@memrelay/dev-env/test-backend';
import { startTestNetwork, type TestNetwork } from '@memrelay/dev-env/test-network';
import { createTestOwner } from '@memrelay/dev-env/test-owner';
import { startTestRelayer, type TestRelayer } from '@memrelay/dev-env/test-relayer';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { MemRelayManual } from '../src/manual/mem-relay-manual.ts';
import { type BundledClient, bundleClient } from './bundled-client.ts';

/** Manual mode in a real page: embedding, Seal, HPKE, blob ids in WebAssembly, and every part of the system across origins. */

const html = `<!doctype html><script type="module">
import { MemRelayManual } from '/client.js';
window.Manual = MemRelayManual;
</script>`;

let bundled: BundledClient;
let pages: Server;
let browser: Browser;
let network: TestNetwork;
let backend: TestBackend;
let provider: EmbeddingProvider;
let relayer: TestRelayer;
let origin: string;

beforeAll(async () => {
  [bundled, network, backend, provider] = await Promise.all([
    bundleClient('manual/mem-relay-manual.ts'),
    startTestNetwork(),
    createTestBackend(),
    startEmbeddingProvider(),
  ]);
  pages = createServer(({ url }, response) => {
    const script = url === '/client.js';
    response.writeHead(200, { 'content-type': script ? 'text/javascript' : 'text/html' });
    response.end(script ? bundled.code : html);
  }).listen(0, '127.0.0.1');
  await once(pages, 'listening');
  origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  relayer = await startTestRelayer(network, {
    ...backend,
    environment: { LLM_API_KEY: 'sk', LLM_API_BASE: provider.url, ALLOWED_ORIGINS: origin },
  });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  pages?.close();
  await relayer?.stop();
  await bundled?.[Symbol.asyncDispose]();
  await Promise.all([provider?.close(), network?.close(), backend?.drop()]);
});

it('remembers and recalls in Chromium', async () => {
  const owner = await createTestOwner(network);
  const page = await browser.newPage();
  await page.goto(origin);
  const answer = await page.evaluate(
    async (options) => {
      const { Manual } = globalThis as unknown as { Manual: typeof MemRelayManual };
      const client = Manual.create(options);
      const long = `${'all the words of a long letter '.repeat(2_000)} otters at the weir`;
      const stored = await client.rememberManual(['a kettle on the stove', long]);
      const recalled = await client.recallManual('otters weir', { limit: 1 });
      client.destroy();
      return { stored, recalled, same: recalled.results[0]?.text === long };
    },
    {
      key: owner.delegate.privateKey,
      accountId: owner.accountId,
      packageId: network.info.packageId,
      serverUrl: relayer.url,
      embedding: { baseUrl: provider.url, apiKey: 'sk-in-the-page' },
      checkBlobIds: true,
    },
  );
  await page.close();
  expect(answer.stored).toMatchObject([{ status: 'done' }, { status: 'done' }]);
  expect(answer.recalled).toMatchObject({ total: 1, dropped: [] });
  expect(answer.same).toBe(true);
  // A client in relayer mode can read the same memory
  const { results } = await owner.client(relayer.url).recall('kettle', { limit: 1 });
  expect(results).toMatchObject([{ text: 'a kettle on the stove' }]);
});

it('stays small enough for a page', () => {
  const bytes = gzipSync(bundled.code).length;
  process.stdout.write(`manual client: ${bundled.code.length} bytes minified, ${bytes} gzipped\n`);
  expect(bytes).toBeLessThan(200_000);
});
