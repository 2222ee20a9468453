import { equalBytes } from '@memrelay/envelope/bytes';
import type { Primitives } from '@memrelay/envelope/primitives';
import { fromBase64Url, toBase64Url } from '@memrelay/protocol/bytes';
import type { SignInRequest } from './sign-in-request.ts';

/** The response of the tool's callback to a page that checks whether it is listening: the challenge of its request. */
export interface CallbackHello {
  challenge: string;
}

/** The tool's response after it accepted and saved the key. */
export interface CallbackAccepted {
  /** base64url of the challenge's SHA-256 preimage, which only the tool knows */
  verifier: string;
  walletAddress: string;
  accountId: string;
}

export function callbackHello({ challenge }: Pick<SignInRequest, 'challenge'>): CallbackHello {
  return { challenge: toBase64Url(challenge) };
}

/** Whether `answer` is the hello of the tool that created this request. */
export function isHelloOf(request: SignInRequest, answer: unknown): boolean {
  return (answer as Partial<CallbackHello> | null)?.challenge === callbackHello(request).challenge;
}

/** Whether `answer` proves that the tool that created this request accepted the key. */
export function isAcceptedBy(p: Primitives, request: SignInRequest, answer: unknown): boolean {
  try {
    const { verifier } = answer as CallbackAccepted;
    return equalBytes(p.sha256(fromBase64Url(verifier)), request.challenge);
  } catch {
    return false;
  }
}
