import { concatBytes } from '@noble/hashes/utils.js';
import {
  add,
  BLS12_381,
  deserializeHexStrToG1,
  deserializeHexStrToG2,
  Fr,
  IRTF,
  init,
  mul,
  setETHserialization,
  setMapToMode,
} from 'mcl-wasm';

/**
 * Key pairs on BLS12-381. The arithmetic is WebAssembly: a public key takes 2 ms, in JavaScript 30 ms, and the first one
 * three times that. It is not constant-time, so do not use it with valuable keys.
 */
await init(BLS12_381);
// Points as in RFC 9380 and on chain, compressed with flags in the first byte.
setETHserialization(true);
setMapToMode(IRTF);

/** The generators from the curve's specification, compressed */
export const generatorG1 = deserializeHexStrToG1(
  '97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb',
);
const generatorG2 = deserializeHexStrToG2(
  '93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8',
);

/** The scalar of up to 64 big-endian bytes, modulo the group order, as 32 big-endian bytes. */
export function scalarOf(bytes: Uint8Array): Uint8Array {
  return scalar(bytes).serialize();
}

/** The sum of two scalars of 32 big-endian bytes. */
export function addScalars(a: Uint8Array, b: Uint8Array): Uint8Array {
  return add(scalar(a), scalar(b)).serialize();
}

/** The public key in G1 of a secret key of 32 big-endian bytes: 48 bytes compressed, 96 uncompressed. */
export function publicKeyG1(secretKey: Uint8Array): { compressed: Uint8Array; uncompressed: Uint8Array } {
  const point = mul(generatorG1, scalar(secretKey));
  const compressed = point.serialize();
  point.normalize();
  return { compressed, uncompressed: concatBytes(point.getX().serialize(), point.getY().serialize()) };
}

/** The public key in G2 of a secret key of 32 big-endian bytes: 96 bytes, compressed. */
export function publicKeyG2(secretKey: Uint8Array): Uint8Array {
  return mul(generatorG2, scalar(secretKey)).serialize();
}

function scalar(bytes: Uint8Array): Fr {
  const value = new Fr();
  value.setBigEndianMod(bytes);
  return value;
}
