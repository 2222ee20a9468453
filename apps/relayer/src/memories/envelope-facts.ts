import { createHash } from 'node:crypto';

/** Of a memory nobody has weighed */
export const standardImportance = 0.5;

export function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
