import { randomUUID } from 'node:crypto';
import { readAccount } from '@memrelay/chain/account-reader';
import { parseHeader } from '@memrelay/envelope/header';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { openBody } from '@memrelay/envelope/open-envelope';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ChatCall } from '../../src/chat-completions.ts';
import { type EmbeddingProvider, startEmbeddingProvider } from '../../src/embedding-provider.ts';
import { createSealReader } from '../../src/seal-reader.ts';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';
import { startTestNetwork, type TestNetwork } from '../../src/test-network.ts';
import { createTestOwner, type TestOwner } from '../../src/test-owner.ts';
import { startTestRelayer, type TestRelayer } from '../../src/test-relayer.ts';

/** Facts and answers with a model, through the whole system; the model is a stand-in that a test scripts. */

let network: TestNetwork;
let backend: TestBackend;
let provider: EmbeddingProvider;
let relayer: TestRelayer;
let owner: TestOwner;
let memory: MemRelay;

beforeAll(async () => {
  [network, backend, provider] = await Promise.all([
    startTestNetwork(),
    createTestBackend(),
    startEmbeddingProvider(),
  ]);
  const environment = { LLM_API_KEY: 'test', LLM_API_BASE: provider.url };
  [relayer, owner] = await Promise.all([
    startTestRelayer(network, { ...backend, environment }),
    createTestOwner(network),
  ]);
});
afterAll(async () => {
  await relayer?.stop();
  await provider?.close();
  await Promise.all([network?.close(), backend?.drop()]);
});
/** A namespace of its own for each test */
let namespace: string;
beforeEach(() => {
  namespace = randomUUID();
  memory = owner.client(relayer.url, { namespace });
  provider.chat.calls.length = 0;
});

const fact = (text: string, more: object = {}) => ({
  text,
  importance: 'standard',
  relation: 'new',
  memory: null,
  ...more,
});
const facts = (...found: object[]) => ({ content: { facts: found } });
/** The document that a call of the model was about */
const documentOf = (call: ChatCall) => JSON.parse(call.messages[1]!.content);

/** What the owner's wallet reads in a blob, without the relayer. */
async function openBlob(blobId: string) {
  const state = await readAccount(network.chain, network.info.packageId, owner.accountId);
  const account = { accountId: owner.accountId, initialSharedVersion: state!.initialSharedVersion };
  const reader = await createSealReader(network, owner.wallet.privateKey, account);
  const blob = await fetch(`${network.blobstoreUrl}/v1/blobs/${blobId}`);
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const header = parseHeader(bytes, bytes.length);
  const writer = nodePrimitives.ed25519PublicKey(Buffer.from(backend.keys.MEM_WRITER_KEYS, 'hex'));
  const trusted = new Set([Buffer.from(writer).toString('hex')]);
  return {
    ...openBody(nodePrimitives, { header, bytes }, await reader.privateKeyOf(bytes), trusted),
    envelopeId: Buffer.from(header.envelopeId).toString('hex'),
  };
}

describe('analyze', () => {
  test('each fact becomes a memory with its weight and date, which its owner can read without us', async () => {
    provider.chat.answer = () =>
      facts(
        fact('Ana is allergic to nuts.', { importance: 'vital' }),
        fact('Ana went to Porto yesterday.', { importance: 'trivial' }),
      );
    const occurredAt = '2023-05-08T01:30:00+09:00';
    const found = await memory.analyze('Ana: nuts would kill me. I was in Porto yesterday.', { occurredAt });
    expect(found).toEqual({
      jobIds: [expect.any(String), expect.any(String)],
      facts: [
        { text: 'Ana is allergic to nuts.', id: found.jobIds[0], jobId: found.jobIds[0], importance: 0.9 },
        {
          text: 'Ana went to Porto yesterday (2023-05-07).',
          id: found.jobIds[1],
          jobId: found.jobIds[1],
          importance: 0.2,
        },
      ],
      factCount: 2,
      status: 'pending',
      owner: owner.wallet.address,
      usage: { calls: 1, promptTokens: 100, completionTokens: 20 },
    });
    expect(documentOf(provider.chat.calls[0]!)).toEqual({
      occurred_at: occurredAt,
      memories: [],
      before: '',
      passage: 'Ana: nuts would kill me. I was in Porto yesterday.',
    });
    const stored = await memory.waitForJobs(found.jobIds);
    const page = await memory.memoriesPage();
    expect(new Set(page.memories.map(({ id, importance }) => `${id} ${importance}`))).toEqual(
      new Set([`${found.jobIds[0]} 0.9`, `${found.jobIds[1]} 0.2`]),
    );
    const { meta, text } = await openBlob(stored[1]!.blobId!);
    expect(text).toBe('Ana went to Porto yesterday (2023-05-07).');
    expect(meta).toMatchObject({ ns: namespace, importance: 0.2, occurred_at: occurredAt });
  });
});
