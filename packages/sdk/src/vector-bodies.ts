import { concatBytes } from '@memrelay/envelope/bytes';
import { namespaceTag } from '@memrelay/envelope/namespace-tag';
import { readSealedBytes, whyOpaque } from '@memrelay/envelope/opaque-bytes';
import { fromHex, toBase64 } from '@memrelay/protocol/bytes';
import { defaultNamespace } from '@memrelay/protocol/limits';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { MemRelayError } from './wire/errors.ts';
import type { Account, CallOptions, RecallManualInput, RememberManualInput } from './wire/types.ts';

/** The body of a manual write. Throws `invalid_argument` for unreadable bytes. */
export async function rememberManualBody(...[input, ...context]: Parameters<typeof checkReadable>) {
  await checkReadable(input, ...context);
  return {
    encrypted_data: toBase64(input.encryptedData),
    vector: Array.from(input.vector),
    namespace: input.namespace,
  };
}

/** The body of a manual recall. */
export function recallManualBody(input: RecallManualInput, namespace: string | undefined) {
  return {
    vector: Array.from(input.vector),
    limit: input.limit,
    namespace: input.namespace ?? namespace,
  };
}

const primitives = {
  hmacSha256: (key: Uint8Array, ...parts: readonly Uint8Array[]) => hmac(sha256, key, concatBytes(...parts)),
};

/**
 * Throws `invalid_argument` for bytes that no reader of the account could ever decrypt, unless the caller marks them as
 * `opaque`. Reads the account only if the bytes are an envelope or a Seal object.
 */
async function checkReadable(
  { encryptedData, namespace = defaultNamespace, opaque, signal }: RememberManualInput,
  client: { account(options: CallOptions): Promise<Account> },
  packageIdOf: () => Promise<string>,
): Promise<void> {
  if (opaque) return;
  const sealed = readSealedBytes(encryptedData);
  if (!sealed) throw refusal('neither an envelope of a memory nor a Seal object');
  const { origin: named, keyEpoch } = await client.account({ signal });
  // A relayer of an earlier release does not report the origin
  const origin = named === undefined ? sealed.identity.slice(0, 32) : fromHex(named.slice(2));
  const complaint = whyOpaque(sealed, {
    origin,
    tag: namespaceTag(primitives, origin, namespace),
    maxEpoch: BigInt(keyEpoch),
    packageId: fromHex((await packageIdOf()).slice(2)),
  });
  if (complaint !== undefined) throw refusal(complaint);
}

function refusal(complaint: string): MemRelayError {
  return new MemRelayError(
    'invalid_argument',
    `No reader of this account can decrypt encryptedData (${complaint}), so restore and text recall cannot use it. To store it anyway, pass opaque: true.`,
  );
}
