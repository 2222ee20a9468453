import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { sealRecoveryWrap } from '@memrelay/envelope/recovery-wrap';
import { fromHex } from '@memrelay/protocol/bytes';
import type { ExportKeysRequest, ExportKeysResponse } from '@memrelay/protocol/key-exports';
import type { SidecarContext } from '../context.ts';
import type { DecryptSession } from './decrypt-session.ts';
import { openKeys } from './open-keys.ts';

/** Private keys of an account, each sealed to the public key that its reader made for an export. */
export async function exportKeys(
  context: SidecarContext,
  session: DecryptSession,
  request: ExportKeysRequest,
): Promise<ExportKeysResponse['keys']> {
  const to = fromHex(request.to);
  return openKeys(context, session, request, ({ identity, recipientPk }, privateKey) => {
    const { bytes } = sealRecoveryWrap(nodePrimitives, to, { identity, recipientPk }, privateKey);
    return { ok: true as const, sealed: Buffer.from(bytes).toString('base64') };
  });
}
