import type { AccountEventName } from '@memrelay/chain/account-bcs';
import type { EmittedAccountEvent } from '@memrelay/chain/account-events';
import type { AuditAction } from '@memrelay/protocol/audit-log';
import { toHex } from '@memrelay/protocol/bytes';
import type { AuditedAction } from '../audit/audit-log.ts';

const actions: Readonly<Record<AccountEventName, AuditAction>> = {
  AccountCreated: 'account.created',
  AccountDeactivated: 'account.frozen',
  AccountReactivated: 'account.unfrozen',
  KeyEpochRotated: 'account.key_epoch_rotated',
  OwnerOffered: 'account.owner_offered',
  OwnerOfferCancelled: 'account.owner_offer_cancelled',
  OwnerChanged: 'account.owner_changed',
  RecoveryKeyChanged: 'account.recovery_key_changed',
  DelegateKeyAdded: 'delegate.added',
  DelegateScopeChanged: 'delegate.scope_changed',
  DelegateKeyRemoved: 'delegate.removed',
};

/** An event of the account module as an entry of the audit log, without the label that the owner typed. */
export function auditedEvent(event: EmittedAccountEvent): AuditedAction {
  const { name, account_id, transactionDigest, eventIndex, sender, ...fields } = event;
  const { label, scope, ...plain } = fields as Record<string, unknown>;
  return {
    action: actions[name],
    actor: sender,
    source: `${transactionDigest}/${eventIndex}`,
    detail: { transaction: transactionDigest, ...inJson(plain), ...inJson((scope ?? {}) as object) },
  };
}

type Detail = NonNullable<AuditedAction['detail']>;

/** Bytes as hex, u64 as decimal digits. */
function inJson(fields: object): Detail {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map((each) => String(plainValue(each))) : plainValue(value),
    ]),
  );
}

function plainValue(value: unknown): string | number | boolean {
  if (value instanceof Uint8Array) return toHex(value);
  return typeof value === 'number' || typeof value === 'boolean' ? value : String(value);
}
