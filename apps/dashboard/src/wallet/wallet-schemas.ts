import { canonicalAddressPattern } from '@memrelay/protocol/address';

/** JSON schemas of requests to the local wallet. Unknown fields are rejected. */

const hex = (digits: number) => ({ type: 'string', pattern: `^[0-9a-f]{${digits}}$` }) as const;

function strict(properties: Record<string, object>, optional: readonly string[] = []) {
  return {
    type: 'object',
    additionalProperties: false,
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
    properties,
  } as const;
}

export const pairSchema = strict({ code: { type: 'string', maxLength: 100 } });

export const removeDelegateSchema = strict({ publicKey: hex(64) });

export const addDelegateSchema = strict(
  {
    accountId: { type: 'string', pattern: canonicalAddressPattern.source },
    publicKey: hex(64),
    label: { type: 'string', minLength: 1, maxLength: 64 },
    scope: strict({
      perms: { type: 'integer', minimum: 1, maximum: 7 },
      allNamespaces: { type: 'boolean' },
      tags: { type: 'array', maxItems: 16, items: hex(32) },
      expiresAtMs: { type: 'string', pattern: '^[0-9]{1,19}$' },
    }),
    proof: hex(128),
  },
  ['proof'],
);
