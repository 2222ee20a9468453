import type { EncSession } from '@memrelay/protocol/enc-session';
import type { Caller } from '../../accounts/caller.ts';

/** With the server's own key, which has no session */
const serverKeyMs = 5 * 60_000;

/**
 * Until when work behind a request may read with its credential, in Unix ms; undefined where it may not. A session is what
 * its owner has given for that time; the deprecated delegate key was given for one request.
 */
export function sessionEndMs(caller: Caller, serverAddress: string | undefined): number | undefined {
  const { encSession, delegateKey } = caller.credentials;
  if (encSession !== undefined) return endOf(encSession);
  if (delegateKey !== undefined) return undefined;
  const isDelegate = caller.account.delegates.some(({ address }) => address === serverAddress);
  return isDelegate ? Date.now() + serverKeyMs : undefined;
}

/** Whether it is a good one the sidecar says. */
function endOf(header: string): number | undefined {
  try {
    const session = JSON.parse(Buffer.from(header, 'base64').toString()) as Partial<EncSession>;
    const end = Number(session.creationTimeMs) + Number(session.ttlMin) * 60_000;
    return Number.isFinite(end) ? end : undefined;
  } catch {
    return undefined;
  }
}
