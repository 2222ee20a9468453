import { toBase64 } from './base64.ts';
import type { RecallManualInput, RememberManualInput } from './types.ts';

/** What the two manual calls send; `namespace` is the client's own. */
export function rememberManualBody(input: RememberManualInput, namespace: string | undefined) {
  return {
    encrypted_data: toBase64(input.encryptedData),
    vector: Array.from(input.vector),
    namespace: input.namespace ?? namespace,
  };
}

export function recallManualBody(input: RecallManualInput, namespace: string | undefined) {
  return {
    vector: Array.from(input.vector),
    limit: input.limit,
    namespace: input.namespace ?? namespace,
  };
}
