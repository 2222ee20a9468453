import { WalletError } from './owner-wallet.ts';

/** A transaction on a public network takes seconds. */
const timeoutMs = 60_000;

/** Posts to this dashboard's own server. Rejects with `WalletError`. */
export async function askWallet<T>(path: string, body: object, token?: string): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
  } catch {
    throw new WalletError(
      'no_answer',
      'The dashboard does not respond. Is `memrelay up` still running on this computer?',
      true,
    );
  }
  const answer = (await response.json().catch(() => ({}))) as T & { error?: string; message?: string };
  if (response.ok) return answer;
  throw new WalletError(
    answer.error ?? 'failed',
    answer.message ?? 'The wallet could not process the request.',
    response.status >= 500,
  );
}
