import { equalBytes } from '@memrelay/envelope/bytes';
import type { Primitives } from '@memrelay/envelope/primitives';
import { fromBase64Url, toBase64Url } from '@memrelay/protocol/bytes';
import type { SignInRequest } from './sign-in-request.ts';

/** What the tool's callback says to a page that asks whether it listens: the challenge of its request. */
export interface CallbackHello {
  challenge: string;
}

/** What it says once it has taken and saved the key. */
export interface CallbackTaken {
  /** base64url of what the challenge is the SHA-256 of: the tool alone knows it */
  verifier: string;
  walletAddress: string;
  accountId: string;
}

export function callbackHello({ challenge }: Pick<SignInRequest, 'challenge'>): CallbackHello {
  return { challenge: toBase64Url(challenge) };
}

/** Whether `answer` is the hello of the tool that made this request. */
export function isHelloOf(request: SignInRequest, answer: unknown): boolean {
  return (answer as Partial<CallbackHello> | null)?.challenge === callbackHello(request).challenge;
}

/** Whether `answer` shows that the tool that made this request has taken the key. */
export function isTakenBy(p: Primitives, request: SignInRequest, answer: unknown): boolean {
  try {
    const { verifier } = answer as CallbackTaken;
    return equalBytes(p.sha256(fromBase64Url(verifier)), request.challenge);
  } catch {
    return false;
  }
}
