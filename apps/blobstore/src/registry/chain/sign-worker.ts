import { signBls } from '@memrelay/chain/walrus-bls';
import { workerData } from 'piscina';

const secretKey = Uint8Array.from(workerData as Uint8Array);

/** Runs in a worker thread. Piscina calls it by this name. */
export function sign(messages: Uint8Array[]): Uint8Array[] {
  return messages.map((message) => signBls(secretKey, message));
}
