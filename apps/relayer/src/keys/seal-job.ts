import { randomUUID } from 'node:crypto';
import { newEnvelopeId } from '@memrelay/envelope/envelope-id';
import type { EnvelopeKind } from '@memrelay/envelope/header';
import type { EnvelopeMeta } from '@memrelay/envelope/meta';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { sealEnvelope } from '@memrelay/envelope/seal-envelope';
import type { AccountSnapshot } from '../accounts/account-directory.ts';
import type { Caller } from '../accounts/caller.ts';
import type { Secrets } from '../base/config/secrets.ts';
import { hexToBytes } from '../base/db/hex.ts';
import { sha256 } from '../base/sha256.ts';
import type { NewJob } from '../jobs/rows/accept-jobs.ts';
import type { NamespaceKey } from './namespace-keys.ts';

/** The importance of a memory that was stored without one */
export const standardImportance = 0.5;

/** The importance as stored in a row: a 32-bit float within limits, because an envelope may contain any number. */
export function storableImportance(importance: number = standardImportance): number {
  return Math.fround(Math.min(1e9, Math.max(-1e9, importance)));
}

const [firstTime, lastTime] = ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z'].map(Date.parse) as [
  number,
  number,
];

/**
 * An envelope's RFC 3339 time as stored in a row. Limits the year to four digits, because the offset could move it out
 * of that range.
 */
export function storableTime(time: string): Date {
  return new Date(Math.min(lastTime, Math.max(firstTime, Date.parse(time))));
}

/** The contents of an envelope created by the relayer; it is signed with the current writer key. */
export interface Sealing {
  kind: EnvelopeKind;
  account: AccountSnapshot;
  namespace: string;
  /** The epoch of the key */
  keyEpoch: number;
  key: NamespaceKey;
  /** 16 bytes; a new id by default */
  envelopeId?: Uint8Array | undefined;
  /** `created_at` is the current time by default */
  meta?: Partial<Omit<EnvelopeMeta, 'ns' | 'by'>>;
  text: string;
}

/** Seals an envelope on behalf of the caller, as a job that stores it for the owner. It needs no embedding. */
export function sealJob(
  { secrets }: { secrets: Secrets },
  caller: Pick<Caller, 'publicKey'>,
  {
    kind,
    account,
    namespace,
    keyEpoch,
    key,
    envelopeId = newEnvelopeId(nodePrimitives),
    meta,
    text,
  }: Sealing,
): NewJob {
  const written = { created_at: new Date().toISOString(), ...meta };
  const envelope = Buffer.from(
    sealEnvelope(nodePrimitives, {
      kind,
      origin: hexToBytes(account.origin),
      namespace,
      keyEpoch: BigInt(keyEpoch),
      envelopeId,
      recipientPk: key.recipientPk,
      wraps: key.wraps,
      meta: { ...written, by: caller.publicKey },
      text,
      signer: secrets.writerKeys[0]!,
    }),
  );
  return {
    id: randomUUID(),
    kind,
    accountId: hexToBytes(account.accountId),
    owner: account.owner,
    namespace,
    delegatePk: Buffer.from(caller.publicKey, 'hex'),
    outbox: undefined,
    envelope,
    envelopeId: Buffer.from(envelopeId),
    envelopeSha256: sha256(envelope),
    importance: storableImportance(meta?.importance),
    // The time from the envelope, so that a restore from the chain gives the same value
    writtenAt: storableTime(written.created_at),
  };
}
