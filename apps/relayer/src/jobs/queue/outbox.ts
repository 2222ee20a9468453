import { openCell, type SecretRing, sealCell } from '@memrelay/envelope/at-rest';

/** Identifies the job whose row has the text. The ciphertext is bound to it. */
export interface OutboxJob {
  id: string;
  accountId: Buffer;
  namespace: string;
}

/** Encrypts a job's text in its row, so that the embedding stage can read it but not an attacker with only the database. */
export interface Outbox {
  seal(job: OutboxJob, text: string): Buffer;
  /** Throws `AtRestError` if the secret was removed or the row was tampered with. */
  open(job: OutboxJob & { outbox: Buffer | null }): string;
}

export function createOutbox(ring: SecretRing): Outbox {
  const cellOf = ({ id, accountId, namespace }: OutboxJob) => ({
    jobId: id,
    account: accountId.toString('hex'),
    namespace,
    column: 'outbox',
  });
  return {
    seal: (job, text) => Buffer.from(sealCell(ring, cellOf(job), Buffer.from(text, 'utf8'))),
    open(job) {
      if (!job.outbox) throw new Error('the job has no text to embed');
      return Buffer.from(openCell(ring, cellOf(job), job.outbox)).toString('utf8');
    },
  };
}
