import { checkWrap } from '../src/check-wrap.ts';
import { checkHeader, type OpenedEnvelope, openBody } from '../src/open-envelope.ts';
import type { Primitives } from '../src/primitives.ts';
import { p, type Sealed, wrapExpectation } from './fixtures.ts';

/** All steps of the reader over `bytes`, with the expectations, key and trust of `of`. */
export function readAll(
  of: Sealed,
  bytes: Uint8Array = of.bytes,
  primitives: Primitives = p,
): OpenedEnvelope {
  const envelope = checkHeader(bytes, of.expectation);
  checkWrap(envelope, wrapExpectation);
  return openBody(primitives, envelope, of.privateKey, of.trust);
}
