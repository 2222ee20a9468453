import { expect, test } from 'vitest';
import type { Encoder } from '../src/encode/encode-blob.ts';
import { withEncoder } from '../src/encode/encoders.ts';

const encoderOf = (nShards: number): Encoder => withEncoder(nShards, (encoder) => encoder);

test('consecutive blobs share an encoder, so that its memory is allocated once', () => {
  const encoder = encoderOf(7);
  expect(encoderOf(4)).not.toBe(encoder);
  expect(encoderOf(7)).toBe(encoder);
});

test('an encoder in use is not shared, and a failed one is not reused', () => {
  withEncoder(10, (outer) => {
    expect(encoderOf(10)).not.toBe(outer);
  });
  let failed: Encoder | undefined;
  const failing = (): unknown =>
    withEncoder(10, (encoder) => {
      failed = encoder;
      throw new Error('broken');
    });
  expect(failing).toThrow('broken');
  expect(encoderOf(10)).not.toBe(failed);
});
