import { bls12_381 } from '@noble/curves/bls12-381.js';
import { identityPoint } from './user-key.ts';

const { Fr } = bls12_381.fields;
const { Point: G1 } = bls12_381.G1;
const { Point: G2 } = bls12_381.G2;
type G1Point = InstanceType<typeof G1>;
type G2Point = InstanceType<typeof G2>;

/** One member's part of a user key, ElGamal-encrypted to the requester. */
export interface SealedShare {
  readonly partyId: number;
  readonly c0: G1Point;
  readonly c1: G1Point;
}

/**
 * Shamir shares of the first coefficient, which any `coefficients.length` shares reconstruct. Member `i`, counted
 * from 0, gets the polynomial's value at `i + 1`, as in Seal's committees.
 */
export function shareKey(coefficients: readonly bigint[], members: number): bigint[] {
  return Array.from({ length: members }, (_, partyId) =>
    coefficients.reduceRight((sum, each) => Fr.add(Fr.mul(sum, BigInt(partyId + 1)), each), Fr.ZERO),
  );
}

/**
 * Whether a share is the member's share of this identity's key, checked without a secret: e(c1, g2) = e(c0,
 * verification key) · e(H1(id), the member's public key). About 23 ms of processor time.
 */
export function isTrueShare(
  share: SealedShare,
  about: { fullId: Uint8Array; encVerificationKey: G2Point; memberKey: G2Point },
): boolean {
  const pairs = [
    { g1: share.c1.negate(), g2: G2.BASE },
    { g1: share.c0, g2: about.encVerificationKey },
    { g1: identityPoint(about.fullId), g2: about.memberKey },
  ];
  if (pairs.some(({ g1, g2 }) => g1.is0() || g2.is0())) return false;
  return bls12_381.fields.Fp12.eql(bls12_381.pairingBatch(pairs), bls12_381.fields.Fp12.ONE);
}

/**
 * Combines shares of different members, as many as the committee's threshold, into the user key, which stays
 * encrypted. Uses Lagrange interpolation at 0 in the exponent.
 */
export function combineShares(shares: readonly SealedShare[]): [c0: Uint8Array, c1: Uint8Array] {
  const sum: [G1Point, G1Point] = [G1.ZERO, G1.ZERO];
  for (const share of shares) {
    const x = BigInt(share.partyId + 1);
    const factor = shares
      .filter((other) => other !== share)
      .map((other) => BigInt(other.partyId + 1))
      .reduce((product, xj) => Fr.mul(product, Fr.div(xj, Fr.sub(xj, x))), Fr.ONE);
    sum[0] = sum[0].add(share.c0.multiply(factor));
    sum[1] = sum[1].add(share.c1.multiply(factor));
  }
  return [sum[0].toBytes(), sum[1].toBytes()];
}
