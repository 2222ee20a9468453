import { portablePrimitives } from '@memrelay/envelope/portable-primitives';
import { isHelloOf, isTakenBy } from '@memrelay/sdk/account/sign-in/callback-answer';
import type { SignInRequest } from '@memrelay/sdk/account/sign-in/sign-in-request';
import { harmless } from '../ui/harmless-text.ts';

const helloTimeoutMs = 3_000;
/** The tool looks for the key on chain before it answers. */
const takeTimeoutMs = 40_000;
const pausesMs = [1_000, 3_000];

/** Whether the tool that made the request listens on this machine. On another one nobody answers. */
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
 * Gives the sealed key to the tool. Returns undefined once the tool has shown that it took it: only it knows what the
 * challenge was made of. Else the reason why not, for the person.
 */
export async function giveToTool(request: SignInRequest, code: string): Promise<string | undefined> {
  let answer = await post(request, code);
  for (const pause of pausesMs) {
    // The tool could not ask the relayer or the chain just then
    if (answer.status !== 503) break;
    await new Promise((resolve) => setTimeout(resolve, pause));
    answer = await post(request, code);
  }
  return reasonOf(request, answer);
}

interface ToolAnswer {
  /** 0 when nobody answered */
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
    return 'The tool does not answer any more. It may have been closed, made a newer link, or its time is over: if trying again does not help, ask it to sign in again.';
  if (status === 200)
    return isTakenBy(portablePrimitives, request, body)
      ? undefined
      : 'Something else than the tool answered on its port.';
  // Whoever listens on the port has written it
  return typeof body.message === 'string' ? harmless(body.message, 300) : 'The tool did not take the key.';
}

function callbackOf({ port }: SignInRequest): string {
  return `http://127.0.0.1:${port}/callback`;
}
