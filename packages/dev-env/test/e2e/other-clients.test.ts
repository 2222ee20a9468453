import { parsePrivateKey } from '@memrelay/chain/key-file';
import { headers } from '@memrelay/protocol/headers';
import { SessionKey } from '@mysten/seal';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawRequest } from '../../src/raw-request.ts';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';
import { startTestNetwork, type TestNetwork } from '../../src/test-network.ts';
import { createTestOwner, type TestOwner } from '../../src/test-owner.ts';
import { startTestRelayer, type TestRelayer } from '../../src/test-relayer.ts';

/** Clients that are not ours: they read the package by JSON-RPC and make their session with Seal's own library. */

let network: TestNetwork;
let backend: TestBackend;
let relayer: TestRelayer;
let owner: TestOwner;

beforeAll(async () => {
  [network, backend] = await Promise.all([startTestNetwork(), createTestBackend()]);
  [relayer, owner] = await Promise.all([startTestRelayer(network, backend), createTestOwner(network)]);
});
afterAll(async () => {
  await relayer?.stop();
  await Promise.all([network?.close(), backend?.drop()]);
});

/** The header as such a client writes it: the exported fields, `mvrName` as null. */
async function sessionHeader(packageId: string): Promise<Record<string, string>> {
  const signer = parsePrivateKey(owner.delegate.privateKey);
  const address = signer.toSuiAddress();
  const suiClient = network.chain.sui;
  const session = await SessionKey.create({ address, packageId, ttlMin: 5, signer, suiClient });
  await session.getCertificate();
  const { creationTimeMs, ttlMin, personalMessageSignature, sessionKey } = session.export();
  const fields = {
    address,
    packageId,
    mvrName: null,
    creationTimeMs,
    ttlMin,
    personalMessageSignature,
    sessionKey,
  };
  return { [headers.encSession]: Buffer.from(JSON.stringify(fields)).toString('base64') };
}

test('find what they need and are served: config, package on chain, session header on every call', async () => {
  const config = await (await fetch(`${relayer.url}/config`)).json();
  const asked = await fetch(config.suiRpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sui_getObject', params: [config.packageId, {}] }),
  });
  expect((await asked.json()).result.data).toMatchObject({ objectId: config.packageId, version: '1' });

  const session = await sessionHeader(config.packageId);
  const call = (path: string, body: unknown) =>
    rawRequest(relayer.url, owner.delegate, { path, body, accountId: owner.accountId, headers: session });
  const accepted = await call('/api/remember', { text: 'said by another client' });
  expect(accepted.status).toBe(202);
  await owner.client(relayer.url).waitForJob(accepted.body.job_id);
  const recalled = await call('/api/recall', { query: 'what was said?', limit: 5 });
  expect(recalled).toMatchObject({
    status: 200,
    body: { total: 1, results: [{ text: 'said by another client' }] },
  });
});
