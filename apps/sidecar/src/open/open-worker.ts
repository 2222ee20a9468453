import { EnvelopeError } from '@memrelay/envelope/envelope-error';
import { contextOf } from '@memrelay/envelope/meta';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { checkIndexRow, openBody } from '@memrelay/envelope/open-envelope';
import type { OpenItem, OpenResult, OpenTask } from './open-tasks.ts';
import { rememberVerified } from './remember-verified.ts';

/** Caches verified signatures, because the same memories are often recalled repeatedly. */
const primitives = rememberVerified(nodePrimitives);

/** Runs in a worker thread. An envelope takes about 0.2 ms, half of that when repeated, and longer if it is large. */
export function openEnvelopes({ keys, trustedSigners, envelopes }: OpenTask): OpenResult[] {
  const trusted = new Set(trustedSigners);
  try {
    // Pass the same array for the same key: creating a key object costs more than opening with it, and is cached per array
    return envelopes.map((item) => openOne(item, keys[item.key]!, trusted));
  } finally {
    for (const key of keys) key.fill(0);
  }
}

function openOne(item: OpenItem, privateKey: Uint8Array, trusted: ReadonlySet<string>): OpenResult {
  try {
    const opened = openBody(primitives, item.envelope, privateKey, trusted);
    if (item.row) checkIndexRow(primitives, item.envelope, item.row);
    return {
      ok: true,
      text: new TextEncoder().encode(opened.text),
      createdAt: opened.meta.created_at,
      importance: opened.meta.importance,
      supersedes: opened.meta.supersedes,
      context: contextOf(opened.meta),
      signer: Buffer.from(opened.signer).toString('hex'),
    };
  } catch (error) {
    if (error instanceof EnvelopeError) return { ok: false, reason: error.reason };
    throw error;
  }
}
