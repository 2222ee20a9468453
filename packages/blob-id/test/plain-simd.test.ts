import { hasRelaxedSimd } from '@memrelay/wasm/relaxed-simd';
import { expect, it, onTestFinished, vi } from 'vitest';
import { computeBlobId } from '../src/blob-id.ts';

it('computes the same ids where WebAssembly has no relaxed SIMD', async () => {
  expect(hasRelaxedSimd).toBe(true);
  vi.resetModules();
  vi.doMock('@memrelay/wasm/relaxed-simd', () => ({ hasRelaxedSimd: false }));
  onTestFinished(() => {
    vi.doUnmock('@memrelay/wasm/relaxed-simd');
    vi.resetModules();
  });
  const { swizzle } = await import('@memrelay/wasm/instructions');
  expect(swizzle([], [])).toEqual([0xfd, 0x0e]);
  const plain = await import('../src/blob-id.ts');
  // A golden id of the public networks
  expect(plain.computeBlobId(Buffer.from('some string'), { nShards: 1000 }).blobId).toBe(
    '9k95lgtG9iPU8yk_wYz8m8CUY1snveemF8ypfpBLUUg',
  );
  const content = Uint8Array.from({ length: 30_000 }, (_, i) => (i * 7919) >> 3);
  expect(plain.computeBlobId(content, { nShards: 31 })).toEqual(computeBlobId(content, { nShards: 31 }));
});
