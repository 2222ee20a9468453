import { randomBytes, randomUUID } from 'node:crypto';
import { secretRing } from '@memrelay/envelope/at-rest';
import type { BlobReads } from '../../src/blobs/read-stored.ts';
import { createOutbox } from '../../src/jobs/queue/outbox.ts';
import type { NewJob } from '../../src/jobs/rows/accept-jobs.ts';

/** Seals the texts of `textJob` until they are embedded. */
export const outbox = createOutbox(secretRing([randomBytes(32)]));

/** For stages that have every text in the outbox. */
export const noBlobs: BlobReads = { read: () => Promise.reject(new Error('nothing is read here')) };

/** A job as a relayer accepts it, of an envelope of random bytes. */
export function textJob(accountId: Buffer, text: string, more: Partial<NewJob> = {}): NewJob {
  const address = { id: randomUUID(), accountId, namespace: 'default' };
  return {
    ...address,
    owner: `0x${'ab'.repeat(32)}`,
    delegatePk: randomBytes(32),
    outbox: outbox.seal(address, text),
    envelope: randomBytes(1_500),
    envelopeId: randomBytes(16),
    envelopeSha256: randomBytes(32),
    importance: 0.5,
    ...more,
  };
}
