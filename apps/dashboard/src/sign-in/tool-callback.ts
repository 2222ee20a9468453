import { portablePrimitives } from '@memrelay/envelope/portable-primitives';
import { isAcceptedBy, isHelloOf } from '@memrelay/sdk/account/sign-in/callback-answer';
import type { SignInRequest } from '@memrelay/sdk/account/sign-in/sign-in-request';
import { harmless } from '../ui/harmless-text.ts';

const helloTimeoutMs = 3_000;
/** The tool verifies the key on chain before it responds. */
const takeTimeoutMs = 40_000;
const pausesMs = [1_000, 3_000];

/** Whether the tool that created the request listens on this machine. False if it runs on another one. */
export async function toolListens(request: SignInRequest): Promise<boolean> {
  try {
    const response = await fetch(callbackOf(request), {
      cache: 'no-store',
      signal: AbortSignal.timeout(helloTimeoutMs),
    });
    return isHelloOf(request, await response.json());
  } catch {
    return false;
  }
}

/**
 * Sends the sealed key to the tool. Returns undefined once the tool has proved that it accepted the key: only the tool knows
 * the preimage of the challenge. Otherwise returns the reason, for the user.
 */
export async function giveToTool(request: SignInRequest, code: string): Promise<string | undefined> {
  let answer = await post(request, code);
  for (const pause of pausesMs) {
    // The tool could not reach the relayer or the chain
    if (answer.status !== 503) break;
    await new Promise((resolve) => setTimeout(resolve, pause));
    answer = await post(request, code);
  }
  return reasonOf(request, answer);
}

interface ToolAnswer {
  /** 0 if there was no response */
  status: number;
  body: { message?: unknown };
}

async function post(request: SignInRequest, code: string): Promise<ToolAnswer> {
  try {
    const response = await fetch(callbackOf(request), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
      signal: AbortSignal.timeout(takeTimeoutMs),
    });
    return { status: response.status, body: (await response.json()) as ToolAnswer['body'] };
  } catch {
    return { status: 0, body: {} };
  }
}

function reasonOf(request: SignInRequest, { status, body }: ToolAnswer): string | undefined {
  if (status === 0)
    return 'The tool no longer responds. It may have been closed, created a newer link, or the link may have expired. If trying again does not help, ask the tool to sign in again.';
  if (status === 200)
    return isAcceptedBy(portablePrimitives, request, body)
      ? undefined
      : "Another program responded on the tool's port.";
  // Untrusted: written by whatever listens on the port
  return typeof body.message === 'string' ? harmless(body.message, 300) : 'The tool rejected the key.';
}

function callbackOf({ port }: SignInRequest): string {
  return `http://127.0.0.1:${port}/callback`;
}
