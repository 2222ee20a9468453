import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { launchChromium } from '@memrelay/dev-env/launch-chromium';
import { corsAllowedHeaders, corsExposedHeaders } from '@memrelay/protocol/headers';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MemRelay } from '../src/mem-relay.ts';
import { type BundledClient, bundleClient } from './bundled-client.ts';
import {
  accountId,
  errorAnswer,
  packageId,
  type ScriptedAnswer,
  type SeenRequest,
  signatureIsValid,
  startWire,
  testKey,
  type WireDouble,
} from './wire-double.ts';

const html = `<!doctype html><script type="module">
import { MemRelay } from '/client.js';
window.Client = MemRelay;
</script>`;

let bundled: BundledClient;
let pages: Server;
let browser: Browser;
let port: number;

beforeAll(async () => {
  bundled = await bundleClient();
  pages = createServer(({ url }, response) => {
    const script = url === '/client.js';
    response.writeHead(200, { 'content-type': script ? 'text/javascript' : 'text/html' });
    response.end(script ? bundled.code : html);
  }).listen(0, '127.0.0.1');
  await once(pages, 'listening');
  port = (pages.address() as AddressInfo).port;
  browser = await launchChromium('--host-resolver-rules=MAP plain.test 127.0.0.1');
});
afterAll(async () => {
  await browser?.close();
  pages?.close();
  await bundled?.[Symbol.asyncDispose]();
});

/** A relayer on another origin, with the cross-origin headers of the contract. */
function startCorsWire(
  script: (request: SeenRequest, number: number) => ScriptedAnswer,
): Promise<WireDouble> {
  let number = 0;
  return startWire((request) => {
    const cors = {
      'access-control-allow-origin': request.headers.origin ?? '',
      'access-control-allow-headers': corsAllowedHeaders.join(','),
      'access-control-expose-headers': corsExposedHeaders.join(','),
    };
    if (request.method === 'OPTIONS') return { status: 204, headers: cors, text: '' };
    const answer = script(request, ++number);
    return typeof answer === 'string' ? answer : { ...answer, headers: { ...answer.headers, ...cors } };
  });
}

/** Runs in the page. */
function inSecureContext(): boolean {
  const { isSecureContext } = globalThis as unknown as { isSecureContext: boolean };
  return isSecureContext && crypto.subtle !== undefined;
}

// Without https, a page is a secure context only on loopback. Elsewhere WebCrypto's `subtle` is missing.
describe.each([
  ['secure', '127.0.0.1'],
  ['insecure', 'plain.test'],
])('in Chromium on a %s page', (kind, host) => {
  it('signs, creates a session, retries and honours Retry-After across origins', async () => {
    await using wire = await startCorsWire((_, number) =>
      number === 1
        ? errorAnswer(503, 'overloaded', { 'retry-after': '1' })
        : { json: { results: [{ text: 'tea', distance: 0 }], total: 1 } },
    );
    const page = await browser.newPage();
    await page.goto(`http://${host}:${port}/`);
    expect(await page.evaluate(inSecureContext)).toBe(kind === 'secure');
    const result = await page.evaluate(
      async (options) => {
        const client = (globalThis as unknown as { Client: typeof MemRelay }).Client.create(options);
        return { publicKey: client.publicKey, recalled: await client.recall('what do I drink?') };
      },
      { key: testKey, accountId, packageId, serverUrl: wire.url },
    );
    await page.close();
    expect(result.recalled).toEqual({ results: [{ text: 'tea', distance: 0 }], total: 1 });
    const requests = wire.seen.filter(({ method }) => method === 'POST');
    expect(requests).toHaveLength(2);
    expect(requests[1]!.at - requests[0]!.at).toBeGreaterThanOrEqual(990);
    for (const request of requests) {
      expect(signatureIsValid(request, result.publicKey)).toBe(true);
      expect(request.headers).toHaveProperty('x-enc-session');
    }
  });
});
