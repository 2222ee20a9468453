import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { accountBcs, accountEventBcs, parseAccountEvent, registryBcs } from '../src/account-bcs.ts';
import { accountAbort, accountAbortName } from '../src/account-limits.ts';
import { delegateAddress, delegateProofMessage } from '../src/delegate-key.ts';

/** Results that the Move VM and the localnet both produced; see `contracts/README.md`. */
interface RecordedStep {
  function: string;
  args: { type: string; value: unknown }[];
  account_bcs?: string;
  registry_bcs?: string;
  events: { name: string; bcs: string }[];
}
const vectors: { scenarios: { steps: RecordedStep[] }[] } = JSON.parse(
  readFileSync(new URL('../../../contracts/vectors/account.json', import.meta.url), 'utf8'),
);
const steps = vectors.scenarios.flatMap((scenario) => scenario.steps);
const events = steps.flatMap((step) => step.events);

test('reads and writes every account and registry of the vectors', () => {
  for (const { account_bcs, registry_bcs } of steps) {
    if (account_bcs)
      expect(accountBcs.serialize(accountBcs.parse(fromHex(account_bcs))).toHex()).toBe(account_bcs);
    if (registry_bcs) {
      expect(registryBcs.serialize(registryBcs.parse(fromHex(registry_bcs))).toHex()).toBe(registry_bcs);
    }
  }
});

test('reads and writes every event of the vectors, and there is one of each name', () => {
  for (const { name, bcs } of events) {
    const { name: parsedName, ...fields } = parseAccountEvent(name, fromHex(bcs))!;
    expect(parsedName).toBe(name);
    expect(accountEventBcs[parsedName].serialize(fields as never).toHex()).toBe(bcs);
  }
  expect(new Set(events.map(({ name }) => name))).toEqual(new Set(Object.keys(accountEventBcs)));
});

test('returns an account with its types', () => {
  const step = steps.find(
    (candidate) => candidate.function === 'add_delegate_key_scoped' && candidate.account_bcs,
  )!;
  const account = accountBcs.parse(fromHex(step.account_bcs!));
  expect(account).toMatchObject({ active: true, key_epoch: 0n, version: 1n, pending_owner: null });
  expect(account.delegate_keys[0]).toMatchObject({
    label: 'delegate1',
    created_at: 1_000_000n,
    proven: true,
  });
  expect(account.scopes[0]!.key).toBe(account.delegate_keys[0]!.address);
  expect(account.scopes[0]!.value).toMatchObject({ perms: 1, min_epoch: 3n, expires_at_ms: 1_000_001n });
});

test('returns undefined for an unknown event, and throws for a truncated one', () => {
  const { name, bcs } = events[0]!;
  expect(parseAccountEvent('toString', fromHex(bcs))).toBeUndefined();
  expect(parseAccountEvent('AccountMigrated', fromHex(bcs))).toBeUndefined();
  expect(() => parseAccountEvent(name, fromHex(bcs).subarray(1))).toThrow();
});

test('names every abort code', () => {
  for (const [name, code] of Object.entries(accountAbort)) expect(accountAbortName(BigInt(code))).toBe(name);
  expect(accountAbortName(8)).toBeUndefined();
});

test('derives the delegate address and proof message that the account module expects', () => {
  // A key and address pair of the vectors, which the Move VM has accepted.
  const added = steps.find((step) => step.function === 'add_delegate_key' && step.account_bcs)!;
  const [publicKey, address] = added.args.map(({ value }) => value as string);
  expect(delegateAddress(fromHex(publicKey!))).toBe(address);
  expect(Buffer.from(delegateProofMessage('0x05')).toString('hex')).toBe(
    `${Buffer.from('memrelay-delegate-v1').toString('hex')}${'00'.repeat(31)}05`,
  );
});

function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, 'hex'));
}
