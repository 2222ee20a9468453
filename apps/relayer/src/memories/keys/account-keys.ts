import type { Wrap } from '@memrelay/envelope/wraps';
import type { Caller, Permission } from '../../accounts/caller.ts';
import { namespacesWith } from '../../accounts/require-permission.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import type { RelayerContext } from '../../context.ts';
import { decodeColumn } from '../../keys/namespace-keys.ts';
import { readNamespaceNames, readUnfinishedNames } from '../reading/memory-pages.ts';

/** A pair that memories of a namespace are sealed to. */
export interface AccountKey {
  namespace: string;
  /** 32 hex digits */
  tag: string;
  keyEpoch: number;
  /** 64 hex digits */
  recipientPk: string;
  /** Whether the present key servers can open it: by its own wraps, or by a later one */
  isCurrent: boolean;
  wraps: Wrap[];
}

interface Row {
  tag: Buffer;
  key_epoch: string;
  server_set: string;
  recipient_pk: Buffer;
  wraps: Buffer;
}

/**
 * The pairs that this relayer made for namespaces in which the caller has these permissions, in the order of their public
 * keys. Pairs that clients made themselves are in their own envelopes alone. Throws `insufficient_scope`.
 */
export async function accountKeys(
  context: RelayerContext,
  caller: Caller,
  permissions: readonly Permission[],
): Promise<AccountKey[]> {
  const scopes = permissions.map((permission) => namespacesWith(caller, permission));
  const accountId = hexToBytes(caller.account.accountId);
  const [stored, unfinished, rewraps, { rows }] = await Promise.all([
    readNamespaceNames(context.db, accountId),
    readUnfinishedNames(context.db, accountId),
    context.keyRewraps.of(accountId),
    context.db.query<Row>(
      `SELECT tag, key_epoch, server_set, recipient_pk, wraps FROM namespace_key
       WHERE account_id = $1 ORDER BY recipient_pk`,
      [accountId],
    ),
  ]);
  const { serverSet } = context.keyRewraps;
  const byTag = new Map(
    [...stored, ...unfinished].map((name) => [
      Buffer.from(context.tagOf(caller.account.origin, name)).toString('hex'),
      name,
    ]),
  );
  return rows.flatMap((row): AccountKey[] => {
    const tag = row.tag.toString('hex');
    const namespace = byTag.get(tag);
    // A pair that no memory was sealed to needs no reader
    if (namespace === undefined || !scopes.every((scope) => scope === 'all' || scope.has(tag))) return [];
    const recipientPk = row.recipient_pk.toString('hex');
    return [
      {
        namespace,
        tag,
        keyEpoch: Number(row.key_epoch),
        recipientPk,
        isCurrent: row.server_set === serverSet || rewraps.has(recipientPk),
        wraps: decodeColumn(row.wraps),
      },
    ];
  });
}
