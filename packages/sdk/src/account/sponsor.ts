import { bcs } from '@mysten/sui/bcs';
import type { Signer } from '@mysten/sui/cryptography';
import { fromBase64, toBase64 } from '@mysten/sui/utils';
import { MemRelayError, NetworkError } from '../wire/errors.ts';

type Fetch = typeof globalThis.fetch;

const timeoutMs = 30_000;

/** Lets a relayer's sponsor pay for a transaction. */
export interface SponsorClient {
  /**
   * Bytes to sign for a transaction kind. Throws `MemRelayError`: with the relayer's code if it refuses, with
   * `invalid_response` if it returns a different transaction than requested.
   */
  sponsor(kind: Uint8Array, sender: string): Promise<{ bytes: Uint8Array; digest: string }>;
  /** Signs and has it executed. Throws like `sponsor`; after a `network_error` it may still take effect. */
  execute(sponsored: { bytes: Uint8Array; digest: string }, signer: Signer): Promise<void>;
}

export function createSponsorClient(serverUrl: string, fetch: Fetch): SponsorClient {
  async function post<T>(path: string, body: object): Promise<T> {
    let response: Response;
    try {
      response = await fetch(serverUrl + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
      });
    } catch (cause) {
      throw new NetworkError('network_error', `${serverUrl} cannot be reached.`, { cause });
    }
    const answer = (await response.json().catch(() => ({}))) as T & { error?: string; message?: string };
    if (response.ok) return answer;
    throw new MemRelayError(
      answer.error ?? 'invalid_response',
      answer.message ?? `The sponsor route returned status ${response.status}.`,
      { status: response.status },
    );
  }

  return {
    async sponsor(kind, sender) {
      const { bytes, digest } = await post<{ bytes: string; digest: string }>('/sponsor', {
        sender,
        transactionBlockKindBytes: toBase64(kind),
      });
      const transaction = fromBase64(bytes);
      if (!isSame(transaction, kind, sender))
        throw new MemRelayError(
          'invalid_response',
          'The sponsor returned a different transaction than requested; it was not signed.',
        );
      return { bytes: transaction, digest };
    },
    async execute({ bytes, digest }, signer) {
      const { signature } = await signer.signTransaction(bytes);
      const sender = signer.toSuiAddress();
      await post('/sponsor/execute', { digest, signature, sender });
    },
  };
}

/** Whether the sponsored transaction has the requested sender and kind, and gas that is not paid by the sender. */
function isSame(transaction: Uint8Array, kind: Uint8Array, sender: string): boolean {
  try {
    const data = bcs.TransactionData.parse(transaction).V1;
    const sent = bcs.TransactionKind.serialize(data.kind).toBytes();
    return data.sender === sender && data.gasData.owner !== sender && toBase64(sent) === toBase64(kind);
  } catch {
    return false;
  }
}
