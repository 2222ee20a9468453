import { parseHandOverCode } from '@memrelay/sdk/account/sign-in/hand-over';
import { SignInFormatError } from '@memrelay/sdk/account/sign-in/sign-in-request';
import { SignInError } from './sign-in-error.ts';

/** Checking the chain takes seconds on a public network. */
const timeoutMs = 30_000;

/** Who signed in, as the waiting tool has found it on chain. */
export interface HandedOver {
  walletAddress: string;
  accountId: string;
}

/**
 * Brings a pasted code to the process of this machine that waits for it: the code names its port. Throws `SignInError`
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
      'No sign-in waits for this code on this machine. Paste it on the machine of the tool, within 5 minutes; else start another sign-in.',
      { cause },
    );
  }
  const answer = (await response.json().catch(() => ({}))) as Partial<HandedOver> & { message?: string };
  if (response.ok && answer.walletAddress && answer.accountId)
    return { walletAddress: answer.walletAddress, accountId: answer.accountId };
  throw new SignInError('refused', answer.message ?? 'The waiting tool did not take the code.');
}

function portOf(text: string): number {
  try {
    return parseHandOverCode(text).port;
  } catch (error) {
    if (!(error instanceof SignInFormatError)) throw error;
    throw new SignInError('invalid_code', `This is no sign-in code: ${error.message}.`);
  }
}
