import type { RewrapKeysRequest, RewrapKeysResponse } from '@memrelay/protocol/sidecar-api';
import type { SidecarContext } from '../context.ts';
import type { DecryptSession } from './decrypt-session.ts';
import { openKeys } from './open-keys.ts';
import { wrapKey } from './wrap-key.ts';

/**
 * For each key a wrap for the current key servers, made here from the private key that belongs to `recipient_pk`. A given
 * one is never handed on: where the session has the key already, it was not opened.
 */
export async function rewrapKeys(
  context: SidecarContext,
  session: DecryptSession,
  request: RewrapKeysRequest,
): Promise<RewrapKeysResponse['keys']> {
  return openKeys(context, session, request, async ({ identity }, privateKey) => {
    const { wrap } = await wrapKey(identity, context, { privateKey });
    return { ok: true as const, wrap: Buffer.from(wrap).toString('base64') };
  });
}
