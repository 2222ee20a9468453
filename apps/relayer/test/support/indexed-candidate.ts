import { createHash, randomBytes } from 'node:crypto';
import { noContext } from '../../src/index/context-tokens.ts';
import type { IndexedCandidate } from '../../src/upkeep/rows/save-restored.ts';

/** A memory that a restore has opened and embedded; its text depends on the envelope id. */
export function indexedCandidate(
  storedAs: string,
  envelopeId: Buffer,
  more: { importance?: number; createdAt?: string; supersedes?: string[] } = {},
): IndexedCandidate {
  return {
    restored: {
      candidate: { storedAs, envelopeId, objectId: `0x${'ab'.repeat(32)}`, endEpoch: 50 },
      header: undefined as never,
      envelope: randomBytes(1_500),
      text: envelopeId.toString('hex'),
      createdAt: '2026-02-01T12:00:00.000Z',
      importance: 0.7,
      supersedes: [],
      context: undefined,
      signer: '',
      ...more,
    },
    context: noContext,
    textHash: createHash('sha256').update(envelopeId).digest(),
    data: { info: { model: 'm', keyId: 1 }, chunks: [{ no: 0, vector: Float32Array.of(1, 0, 0) }] },
  };
}
