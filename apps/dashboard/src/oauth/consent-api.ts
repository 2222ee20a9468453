import { CodedError } from '@memrelay/protocol/coded-error';
import {
  type ConsentKey,
  type ConsentOutcome,
  type ConsentRequest,
  type GrantScope,
  oauthPaths,
} from '@memrelay/protocol/oauth';

const timeoutMs = 30_000;
/** The relayer's node may see the new key only after a moment. */
const patience = { tries: 40, pauseMs: 500 };

/** A failed request to the relayer. The message is for the user. */
export class ConsentError extends CodedError {
  override name = 'ConsentError';
}

/** The relayer's side of a consent, for one request. Methods reject with `ConsentError`. */
export interface ConsentApi {
  describe(): Promise<ConsentRequest>;
  makeKey(accountId: string, scope: GrantScope): Promise<ConsentKey>;
  /** Call after the key is registered; waits until the relayer sees it on chain */
  finish(ticket: string, accountId: string): Promise<ConsentOutcome>;
  decline(): Promise<ConsentOutcome>;
}

/** @param relayerUrl from the dashboard's own configuration, never from a link */
export function consentApi(relayerUrl: string, request: string): ConsentApi {
  const post = <T>(path: string, more: object = {}): Promise<T> =>
    postJson<T>(`${relayerUrl}${path}`, { request, ...more });
  return {
    describe: () => post(oauthPaths.consent),
    makeKey: (accountId, scope) => post(oauthPaths.consentKey, { scope, account_id: accountId }),
    async finish(ticket, accountId) {
      for (let tries = 1; ; tries++) {
        try {
          return await post<ConsentOutcome>(oauthPaths.consentFinish, { ticket, account_id: accountId });
        } catch (error) {
          const waits = error instanceof ConsentError && error.code === 'consent_not_registered';
          if (!waits || tries === patience.tries) throw error;
        }
        await new Promise((resolve) => setTimeout(resolve, patience.pauseMs));
      }
    },
    decline: () => post(oauthPaths.consentDecline),
  };
}

async function postJson<T>(url: string, body: object): Promise<T> {
  let response: Response;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
  } catch {
    throw new ConsentError('no_answer', 'The relayer does not respond. Is it still running?');
  }
  const answer = (await response.json().catch(() => ({}))) as T & { error?: string; message?: string };
  if (response.ok) return answer;
  throw new ConsentError(
    answer.error ?? 'failed',
    answer.message ?? 'The relayer could not process the request.',
  );
}
