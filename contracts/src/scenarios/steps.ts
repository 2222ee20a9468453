import type { AccountAbortName } from '@memrelay/chain/account-limits';
import type { Arg, Step } from '../scenario.ts';
import { type Delegate, type IdentityParts, identity, type Person, proofOf } from './cast.ts';

/** Functions to write scenarios. The account's creator sends a step unless noted otherwise. */

/** Default clock time in ms. */
export const now = 1_000_000;

export function refused(abort: AccountAbortName, step: Step): Step {
  return { ...step, abort };
}

export function denied(step: Step): Step {
  return refused('no_access', step);
}

export function at(clockMs: number, step: Step): Step {
  return { ...step, clock_ms: clockMs };
}

export function by(sender: Person, step: Step): Step {
  return { ...step, sender: sender.address };
}

/** The step must leave the account at this key epoch. */
export function epoch(keyEpoch: number, step: Step): Step {
  return { ...step, key_epoch: keyEpoch };
}

export function call(owner: Person, name: string, args: Arg[] = []): Step {
  return { sender: owner.address, function: name, account: owner.name, args, clock_ms: now };
}

export function create(owner: Person): Step {
  return call(owner, 'new_account');
}

export interface DelegateParts {
  publicKey?: string;
  address?: string;
  label?: string;
}

function delegateArgs(who: Delegate, parts: DelegateParts): Arg[] {
  return [
    hex(parts.publicKey ?? who.publicKey),
    { type: 'address', value: parts.address ?? who.address },
    { type: 'string', value: parts.label ?? who.name },
  ];
}

export function add(owner: Person, who: Delegate, parts: DelegateParts = {}): Step {
  return call(owner, 'add_delegate_key', delegateArgs(who, parts));
}

export interface ScopeParts {
  perms?: number;
  all?: boolean;
  tags?: string[];
  minEpoch?: bigint | number;
  expiresAt?: bigint | number;
}

/**
 * Arguments of a scope, by default READ, WRITE and FORGET in all namespaces without an expiry. Tags limit it to
 * those namespaces.
 */
function scopeArgs({ perms = 7, all, tags = [], minEpoch = 0, expiresAt = 0 }: ScopeParts): Arg[] {
  return [
    { type: 'u8', value: perms },
    { type: 'bool', value: all ?? tags.length === 0 },
    { type: 'vector<vector<u8>>', value: tags },
    { type: 'u64', value: minEpoch.toString() },
    { type: 'u64', value: expiresAt.toString() },
  ];
}

export function addScoped(
  owner: Person,
  who: Delegate,
  scope: ScopeParts,
  parts: DelegateParts & { proof?: string } = {},
): Step {
  const proof = hex(parts.proof ?? proofOf(who, owner));
  return call(owner, 'add_delegate_key_scoped', [...delegateArgs(who, parts), ...scopeArgs(scope), proof]);
}

export function setScope(owner: Person, who: Person, scope: ScopeParts): Step {
  return call(owner, 'set_delegate_scope', [{ type: 'address', value: who.address }, ...scopeArgs(scope)]);
}

export function remove(owner: Person, who: Delegate): Step {
  return call(owner, 'remove_delegate_key', [hex(who.publicKey)]);
}

export function prune(owner: Person): Step {
  return call(owner, 'prune_expired');
}

export function rotate(owner: Person): Step {
  return call(owner, 'rotate_key_epoch');
}

export function deactivate(owner: Person): Step {
  return call(owner, 'deactivate_account');
}

export function reactivate(owner: Person): Step {
  return call(owner, 'reactivate_account');
}

export function offer(owner: Person, newOwner: Person): Step {
  return call(owner, 'offer_owner', [{ type: 'address', value: newOwner.address }]);
}

export function cancel(owner: Person): Step {
  return call(owner, 'cancel_offer');
}

export function accept(owner: Person, newOwner: Person): Step {
  return by(newOwner, call(owner, 'accept_owner'));
}

export function recoveryKey(owner: Person, key: string): Step {
  return call(owner, 'set_recovery_key', [hex(key)]);
}

export function setVersion(owner: Person, version: number): Step {
  return call(owner, 'set_version_for_testing', [{ type: 'u64', value: version.toString() }]);
}

/** The requested identity: the owner's with these parts, or arbitrary bytes in hex. */
type Asked = IdentityParts | string;

function approval(name: string, reader: Person, owner: Person, asked: Asked): Step {
  const id = typeof asked === 'string' ? asked : identity(owner, asked);
  return by(reader, call(owner, name, [hex(id)]));
}

export function approve(reader: Person, owner: Person, asked: Asked = {}): Step {
  return approval('seal_approve', reader, owner, asked);
}

export function approveAt(reader: Person, owner: Person, asked: Asked = {}): Step {
  return approval('seal_approve_at', reader, owner, asked);
}

function hex(value: string): Arg {
  return { type: 'vector<u8>', value };
}
