import type { IncomingMessage, ServerResponse } from 'node:http';
import { encodeFrame } from '@memrelay/protocol/framing';
import type { UploadCheckpoint } from '@memrelay/protocol/sidecar-api';
import { sidecarTokenProof } from '@memrelay/protocol/sidecar-token-node';
import { afterEach, describe, expect, test } from 'vitest';
import { createSidecarClient, type SidecarClient } from '../../src/sidecar/sidecar-client.ts';
import { startServer } from '../support/http-server.ts';

const token = 'a token of the two';
const address = `0x${'1'.repeat(64)}`;
const head = {
  account: { id: address, initial_shared_version: '1', origin: address, owner: address, key_epoch: 0 },
  signer: { public_key: '2'.repeat(64), address, min_epoch: 0 },
  server_key_allowed: false,
  trusted_signers: [],
  items: [],
};
const credentials = { encSession: undefined, delegateKey: undefined };
const health = {
  status: 'ok',
  version: '1',
  instance: 'one',
  supervised: false,
  token_proof: sidecarTokenProof(token),
};

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.close();
});

/** A client of a server that responds like a sidecar. */
async function clientOf(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<SidecarClient> {
  const server = await startServer(answer);
  const client = createSidecarClient(server.url, token);
  open.push(client, server);
  return client;
}

const refusing = (status: number, body: unknown) => (_request: IncomingMessage, response: ServerResponse) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

async function upload(client: SidecarClient): Promise<UploadCheckpoint[]> {
  const reached: UploadCheckpoint[] = [];
  const request = {
    content: Buffer.from('x'),
    owner: address,
    epochs: 1,
    wallet: undefined,
    resume: false,
    minEndEpoch: undefined,
    jobId: 'job',
  };
  for await (const checkpoint of client.upload(request)) reached.push(checkpoint);
  return reached;
}

describe('an error of the sidecar', () => {
  test.each([
    ['decrypt_denied', 403],
    ['decrypt_unavailable', 503],
    ['decrypt_credential_required', 403],
  ])('%s is returned to the caller', async (error, status) => {
    const client = await clientOf(refusing(status, { error, message: 'why' }));
    await expect(client.open(head, [], credentials)).rejects.toMatchObject({
      code: error,
      status,
      message: 'why',
    });
  });

  test.each([
    ['another token', 401, { error: 'missing_auth_header', message: 'x' }],
    ['a request of another form', 400, { error: 'invalid_request', message: 'inner words' }],
    ['something unforeseen', 500, { error: 'internal_error', message: 'x' }],
    ['something else on the port', 404, '<html>'],
  ])('for %s is 503, because the caller cannot fix it', async (_what, status, body) => {
    const client = await clientOf(refusing(status, body));
    const refused = await client.open(head, [], credentials).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'sidecar_unavailable', status: 503 });
    expect((refused as Error).message).not.toContain('inner words');
  });
});

test('hanging uploads delay neither health checks nor a recall', async () => {
  const client = await clientOf((request, response) => {
    if (request.url === '/health') response.end(JSON.stringify(health));
    if (request.url === '/envelopes/open') response.end(encodeFrame({ items: [] }, []));
  });
  const hanging = Array.from({ length: 70 }, () => upload(client).catch(() => undefined));
  expect(await client.open(head, [], credentials)).toMatchObject({ items: [] });
  expect(await client.health(1_000)).toEqual(health);
  await open.pop()!.close();
  await Promise.all(hanging);
});

test('reads upload checkpoints one by one, however they are split', async () => {
  const lines = [
    { stage: 'relayed', blob_id: 'b' },
    { stage: 'done', blob_id: 'b', end_epoch: 7 },
  ];
  const client = await clientOf(async (_request, response) => {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    for (const part of [text.slice(0, 10), text.slice(10, 50), text.slice(50)]) response.write(part);
    response.end();
  });
  expect(await upload(client)).toEqual(lines);
});

test('reports a closed port separately, because the call has not started', async () => {
  const server = await startServer(() => undefined);
  await server.close();
  const client = createSidecarClient(server.url, token);
  open.push(client);
  await expect(upload(client)).rejects.toMatchObject({
    name: 'SidecarUnreachableError',
    code: 'sidecar_unavailable',
  });
});
