import { blake2b } from '@noble/hashes/blake2.js';
import { expect, test } from 'vitest';
import { writeInitialStates } from '../src/encode/initial-states.ts';
import { blockBytes, digestBytes, emptyNodeAt, heapStart, stateBytes } from '../src/kernel/hash-code.ts';
import { createKernel } from '../src/kernel/kernel.ts';
import { content } from './reference.ts';

const blake2b256 = (...parts: Uint8Array[]): string =>
  Buffer.from(blake2b(Buffer.concat(parts), { dkLen: digestBytes })).toString('hex');

/** Digests of messages of one length, in one call. */
function digests(messages: Uint8Array[]): string[] {
  const length = messages[0]!.byteLength;
  const blocks = Math.max(1, Math.ceil(length / blockBytes));
  const kernel = createKernel();
  const states = heapStart + messages.length * blocks * blockBytes;
  kernel.reserve(states + messages.length * stateBytes);
  const bytes = kernel.bytes();
  messages.forEach((message, i) => {
    bytes.set(message, heapStart + i * blocks * blockBytes);
  });
  writeInitialStates(bytes, states, messages.length);
  kernel.absorb(heapStart, blocks * blockBytes, states, messages.length, blocks, 0, length);
  return messages.map((_, i) =>
    Buffer.from(bytes.subarray(states + i * stateBytes, states + i * stateBytes + digestBytes)).toString(
      'hex',
    ),
  );
}

test('BLAKE2b-512 of "abc" equals the example of RFC 7693', () => {
  const kernel = createKernel();
  const state = heapStart + blockBytes;
  kernel.reserve(state + stateBytes);
  const bytes = kernel.bytes();
  bytes.set(Buffer.from('abc'), heapStart);
  writeInitialStates(bytes, state, 1);
  // A digest of 64 bytes instead of 32: one bit pattern of the parameter block
  bytes[state]! ^= 0x20 ^ 0x40;
  kernel.absorb(heapStart, blockBytes, state, 1, 1, 0, 3);
  expect(Buffer.from(bytes.subarray(state, state + 64)).toString('hex')).toBe(
    'ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1' +
      '7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923',
  );
});

test('BLAKE2b-256 equals its published values', () => {
  expect(digests([Buffer.from('abc')])).toEqual([
    'bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319',
  ]);
});

test('messages of every length around block boundaries have the digests of another implementation', () => {
  for (let length = 1; length <= 400; length++) {
    const messages = Array.from({ length: 1 + (length % 5) }, (_, i) => content(length, 100 * length + i));
    expect(digests(messages)).toEqual(messages.map((message) => blake2b256(message)));
  }
});

test('a message fed in parts has the digest of the whole', () => {
  const message = content(3 * blockBytes + 17);
  const kernel = createKernel();
  const state = heapStart + 4 * blockBytes;
  kernel.reserve(state + stateBytes);
  const bytes = kernel.bytes();
  bytes.set(message, heapStart);
  writeInitialStates(bytes, state, 1);
  kernel.absorb(heapStart, 0, state, 1, 1, 0, 0);
  kernel.absorb(heapStart + blockBytes, 0, state, 1, 2, blockBytes, 0);
  kernel.absorb(heapStart + 3 * blockBytes, 0, state, 1, 1, 3 * blockBytes, message.byteLength);
  expect(Buffer.from(bytes.subarray(state, state + digestBytes)).toString('hex')).toBe(blake2b256(message));
});

test('hashes one or many inner nodes at a time, at any distance, and writes to no other memory', () => {
  const kernel = createKernel();
  const distances = [
    [32, 32],
    [64, 64],
    [96, 0],
  ] as const;
  const room = 20 * 96;
  const [left, right, out] = [heapStart, heapStart + room, heapStart + 2 * room];
  for (let count = 1; count <= 17; count++) {
    for (const [leftStride, rightStride] of distances) {
      const bytes = kernel.bytes();
      const before = content(3 * room, count);
      bytes.set(before, heapStart);
      kernel.hashPairs(left, leftStride, right, rightStride, out, count);
      const after = kernel.bytes().slice(heapStart, heapStart + 3 * room);
      const expected = Array.from({ length: count }, (_, i) =>
        blake2b256(
          Uint8Array.of(1),
          before.subarray(i * leftStride, i * leftStride + digestBytes),
          before.subarray(room + i * rightStride, room + i * rightStride + digestBytes),
        ),
      ).join('');
      const written = after.subarray(2 * room, 2 * room + count * digestBytes);
      expect(Buffer.from(written).toString('hex')).toBe(expected);
      after.set(before.subarray(2 * room, 2 * room + count * digestBytes), 2 * room);
      expect(Buffer.compare(after, before)).toBe(0);
    }
  }
  expect(kernel.bytes().subarray(emptyNodeAt, heapStart)).toEqual(new Uint8Array(digestBytes));
});
