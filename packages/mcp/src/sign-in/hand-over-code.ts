import { parseHandOverCode } from '@memrelay/sdk/account/sign-in/hand-over';
import { SignInFormatError } from '@memrelay/sdk/account/sign-in/sign-in-request';
import { SignInError } from './sign-in-error.ts';

/** Checking the chain takes seconds on a public network. */
const timeoutMs = 30_000;

/** Who signed in, as verified on chain by the waiting tool. */
export interface HandedOver {
  walletAddress: string;
  accountId: string;
}

/**
 * Passes a pasted code to the waiting process on this machine, whose port is in the code. Throws `SignInError`
 * `invalid_code`, `nobody_waits` and `refused`.
 */
export async function handOverCode(
  text: string,
  fetch: typeof globalThis.fetch = globalThis.fetch,
): Promise<HandedOver> {
  const url = `http://127.0.0.1:${portOf(text)}/code`;
  let response: Response;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: text.replace(/\s/g, '') }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
  } catch (cause) {
    throw new SignInError(
      'nobody_waits',
      'No sign-in on this machine is waiting for this code. Paste it on the machine where the tool runs, within 5 minutes, or start another sign-in.',
      { cause },
    );
  }
  const answer = (await response.json().catch(() => ({}))) as Partial<HandedOver> & { message?: string };
  if (response.ok && answer.walletAddress && answer.accountId)
    return { walletAddress: answer.walletAddress, accountId: answer.accountId };
  throw new SignInError('refused', answer.message ?? 'The waiting tool rejected the code.');
}

function portOf(text: string): number {
  try {
    return parseHandOverCode(text).port;
  } catch (error) {
    if (!(error instanceof SignInFormatError)) throw error;
    throw new SignInError('invalid_code', `This is not a sign-in code: ${error.message}.`);
  }
}
