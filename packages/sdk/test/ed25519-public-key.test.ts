import { randomBytes } from 'node:crypto';
import * as ed25519 from '@noble/ed25519';
import { afterEach, expect, test, vi } from 'vitest';
import { ed25519PublicKey } from '../src/wire/ed25519-public-key.ts';

afterEach(() => vi.unstubAllGlobals());

test('is the same with the code of Node and with portable code', () => {
  for (let i = 0; i < 20; i++) {
    const seed = new Uint8Array(randomBytes(32));
    expect(ed25519PublicKey(seed)).toEqual(ed25519.getPublicKey(seed));
  }
});

test.each([
  ['has no processes', undefined],
  ['has an incomplete one', { getBuiltinModule: () => undefined }],
  [
    'refuses the key',
    {
      getBuiltinModule: () => ({
        createPrivateKey: () => {
          throw new Error('unsupported');
        },
        createPublicKey: () => undefined,
      }),
    },
  ],
])('uses portable code where the platform %s', (_what, process) => {
  const seed = new Uint8Array(32).fill(3);
  vi.stubGlobal('process', process);
  expect(ed25519PublicKey(seed)).toEqual(ed25519.getPublicKey(seed));
});
