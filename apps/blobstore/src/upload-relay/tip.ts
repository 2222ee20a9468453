import { encodedBlobLength } from '@memrelay/chain/walrus-sizes';

/** The price of an upload, in MIST. */
export type TipKind =
  | { const: number }
  /** `base`, plus `perEncodedKib` for every started KiB of the encoded blob */
  | { linear: { base: number; perEncodedKib: number } };

/** The receiver and amount of the tip for uploads, and how long a payment is valid. */
export interface Tip {
  address: string;
  kind: TipKind;
  /** Milliseconds from the payment to the upload */
  freshnessMs: number;
}

/** The tip for a blob of `size` bytes, in MIST. */
export function tipFor(kind: TipKind, size: number, nShards: number): bigint {
  if ('const' in kind) return BigInt(kind.const);
  const { base, perEncodedKib } = kind.linear;
  const kibibytes = Math.ceil(encodedBlobLength(size, nShards) / 1024);
  return BigInt(base) + BigInt(perEncodedKib) * BigInt(kibibytes);
}

/** The response of `GET /v1/tip-config`, with the wire names of the real relay. */
export function tipConfig(tip: Tip | undefined): unknown {
  if (tip === undefined) return 'no_tip';
  const { address, kind } = tip;
  if ('const' in kind) return { send_tip: { address, kind } };
  const { base, perEncodedKib } = kind.linear;
  return { send_tip: { address, kind: { linear: { base, encoded_size_mul_per_kib: perEncodedKib } } } };
}
