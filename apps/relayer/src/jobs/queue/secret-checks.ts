import {
  listedCheckValue,
  missingKeyIds,
  type SecretRing,
  secretCheckValue,
} from '@memrelay/envelope/at-rest';
import { ConfigError } from '../../base/config/config-error.ts';
import type { Secrets } from '../../base/config/secrets.ts';
import type { Db, Queryable } from '../../base/db/db.ts';
import { idempotencyHours } from '../rows/idempotency-rows.ts';
import {
  forgetSecret,
  forgetSecrets,
  type KnownSecret,
  keepIndexKeyCheck,
  keepSecret,
  lockSecrets,
  readKnownSecrets,
  type Signed,
  sealingKeyIds,
  signedSince,
} from '../rows/secret-rows.ts';

/**
 * Prevents the relayer from starting with secrets that do not match the database, and saves check values of new ones.
 * Throws `ConfigError` with one line for each variable: what would be lost, and how to proceed.
 *
 * MEM_INDEX_KEY never changes. A newer MEM_SERVER_SECRET or writer key may be put in front of the former ones. A server
 * secret may go when nothing is sealed with it any more, a writer key when no memory can be signed with it. `dropped`
 * (MEM_DROPPED_SECRETS) names check values of secrets whose loss the operator accepts.
 */
export async function checkSecrets(
  db: Db,
  secrets: Secrets,
  ring: SecretRing,
  dropped: readonly string[] = [],
): Promise<void> {
  await db.transaction(async (tx) => {
    await lockSecrets(tx);
    await forgetSecrets(tx, dropped);
    const problems = [
      await indexKeyProblem(tx, secrets.indexKey),
      await serverSecretProblem(tx, secrets.serverSecrets, ring),
      await writerKeyProblem(tx, secrets.writerKeys),
    ].filter((problem) => problem !== undefined);
    // Rolls back: a boot that stops leaves no check values
    if (problems.length > 0) throw new ConfigError(problems);
  });
}

async function indexKeyProblem(tx: Queryable, indexKey: Buffer): Promise<string | undefined> {
  const value = secretCheckValue(indexKey);
  const known = await keepIndexKeyCheck(tx, value);
  return known === value
    ? undefined
    : 'MEM_INDEX_KEY is not the key this database was made with: set the former key again, or start with an empty database';
}

async function serverSecretProblem(
  tx: Queryable,
  serverSecrets: readonly Buffer[],
  ring: SecretRing,
): Promise<string | undefined> {
  const needed = missingKeyIds(ring, await sealingKeyIds(tx));
  if (needed.length > 0)
    return `MEM_SERVER_SECRET lacks a secret that is still needed (key id ${needed.join(', ')}): memories that wait to be embedded, or answers of the last ${idempotencyHours} hours that may be asked for again, were sealed with it. Add the former secret to the end of the list`;
  const variable = 'MEM_SERVER_SECRET';
  const known = await readKnownSecrets(tx, variable);
  const values = serverSecrets.map((secret) => listedCheckValue(variable, secret));
  if (known.length > 0 && !known.some(({ check_value }) => values.includes(check_value)))
    return `${variable} has none of the secrets this database was used with. Add the former secret to the end of the list; it may go ${idempotencyHours} hours later. If it is lost: nothing is sealed with it now, so ${wayOut(known)}`;
  for (const value of values) await keepSecret(tx, variable, value, '-infinity');
  return undefined;
}

/**
 * Envelopes hide who signed them, so which key signed a memory follows from when each key was in use. A key that was
 * retired before it was first seen may have signed anything.
 */
async function writerKeyProblem(tx: Queryable, writerKeys: readonly Buffer[]): Promise<string | undefined> {
  const variable = 'MEM_WRITER_KEYS';
  const known = await readKnownSecrets(tx, variable);
  const values = writerKeys.map((seed) => listedCheckValue(variable, seed));
  const missing = known.filter(({ check_value }) => !values.includes(check_value));
  const lost = await signedSince(tx, missing);
  const isSigned = lost.memories + lost.forgotten > 0;
  const remedy = `Add the former keys to the end of the list. If they are lost or must not be believed any more, ${wayOut(missing)}`;
  if (known.length > 0 && missing.length === known.length)
    return `${variable} has none of the keys this database was used with${isSigned ? `: ${lossOf(lost)}` : ''}. ${remedy}`;
  if (isSigned)
    return `${variable} lacks ${missing.length === 1 ? 'a key that was' : `${missing.length} keys that were`} in use: ${lossOf(lost)}. ${remedy}`;
  for (const { check_value } of missing) await forgetSecret(tx, variable, check_value);
  for (const [i, value] of values.entries())
    await keepSecret(tx, variable, value, i === 0 && known.length > 0 ? 'now' : '-infinity');
  return undefined;
}

/** Every number is a bound: envelopes hide who signed them, and some were signed by clients. */
function lossOf({ memories, forgotten }: Signed): string {
  const counted = (count: number): string => (count === 1 ? '1 memory' : `${count} memories`);
  const losses: string[] = [];
  if (memories > 0)
    losses.push(`at most ${counted(memories)} would not be shown any more (untrusted_signer)`);
  if (forgotten > 0)
    losses.push(
      `a restore could bring back at most ${counted(forgotten)} that ${forgotten === 1 ? 'was' : 'were'} forgotten`,
    );
  return losses.join(', and ');
}

function wayOut(secrets: readonly KnownSecret[]): string {
  return `start once with MEM_DROPPED_SECRETS=${secrets.map(({ check_value }) => check_value).join(',')}`;
}
