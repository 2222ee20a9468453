import { openCell, type SecretRing, sealCell } from '@memrelay/envelope/at-rest';

/** The row that holds a job's text. */
export interface OutboxPlace {
  id: string;
  accountId: Buffer;
  namespace: string;
}

/** Keeps a job's text readable for the embedding step, but not for someone who has only the database. */
export interface Outbox {
  seal(place: OutboxPlace, text: string): Buffer;
  /** Throws `AtRestError` when the secret is gone or the row was tampered with. */
  open(job: OutboxPlace & { outbox: Buffer | null }): string;
}

export function createOutbox(ring: SecretRing): Outbox {
  const cellPlace = ({ id, accountId, namespace }: OutboxPlace) => ({
    jobId: id,
    account: accountId.toString('hex'),
    namespace,
    column: 'outbox',
  });
  return {
    seal: (place, text) => Buffer.from(sealCell(ring, cellPlace(place), Buffer.from(text, 'utf8'))),
    open(job) {
      if (!job.outbox) throw new Error('the job has no text to embed');
      return Buffer.from(openCell(ring, cellPlace(job), job.outbox)).toString('utf8');
    },
  };
}
