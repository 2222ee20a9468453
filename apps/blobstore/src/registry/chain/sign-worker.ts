import { bls12_381 } from '@noble/curves/bls12-381.js';
import { workerData } from 'piscina';

const scheme = bls12_381.longSignatures;
const secretKey = Uint8Array.from(workerData as Uint8Array);

/** Runs in a worker thread. The name is what piscina calls. */
export function sign(message: Uint8Array): Uint8Array {
  return scheme.sign(scheme.hash(message), secretKey).toBytes(true);
}
