import { toBase64 } from '@memrelay/protocol/bytes';
import { checkReadable } from './check-readable.ts';
import type { RecallManualInput } from './types.ts';

/** What the manual write sends. Throws `invalid_argument` (check-readable.ts). */
export async function rememberManualBody(...[input, ...asked]: Parameters<typeof checkReadable>) {
  await checkReadable(input, ...asked);
  return {
    encrypted_data: toBase64(input.encryptedData),
    vector: Array.from(input.vector),
    namespace: input.namespace,
  };
}

/** What the manual recall sends. */
export function recallManualBody(input: RecallManualInput, namespace: string | undefined) {
  return {
    vector: Array.from(input.vector),
    limit: input.limit,
    namespace: input.namespace ?? namespace,
  };
}
