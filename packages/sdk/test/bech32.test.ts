import { bech32 } from '@scure/base';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeBech32 } from '../src/wire/bech32.ts';

test('is the same as that of a library, for any bytes', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 60 }),
      fc.constantFrom('suiprivkey', 'a', 'split'),
      (bytes, prefix) => {
        expect(encodeBech32(prefix, bytes)).toBe(bech32.encode(prefix, bech32.toWords(bytes), 200));
      },
    ),
  );
});
