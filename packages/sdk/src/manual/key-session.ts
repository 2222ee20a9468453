import type { EncSession } from '@memrelay/protocol/enc-session';
import type { ExportedSessionKey } from '@mysten/seal';
import { fromBase64 } from '../wire/base64.ts';
import { cachedSessions, type SessionSource, sessionSignedBy } from '../wire/enc-session.ts';
import { MemRelayError } from '../wire/errors.ts';
import type { Connection } from '../wire/request.ts';

/** The owner's wallet, which may read as an alternative to the delegate key. Sui's `Signer` implements it. */
export interface SessionSigner {
  toSuiAddress(): string;
  /** `signature` is Sui's, in base64 */
  signPersonalMessage(message: Uint8Array): Promise<{ signature: string }>;
}

/** The maximum that key servers accept. Shorter sessions would make the wallet ask its user more often. */
const walletMinutes = 30;

/** Sessions signed by the wallet, each for 30 minutes, or by the delegate key if there is no wallet. */
export function keySessions(
  { sessions, clock }: Pick<Connection, 'sessions' | 'clock'>,
  wallet: SessionSigner | undefined,
): SessionSource {
  if (!wallet) return sessions;
  return cachedSessions(clock, walletMinutes, (terms) =>
    sessionSignedBy(wallet.toSuiAddress(), terms, async (message) => {
      try {
        return (await wallet.signPersonalMessage(message)).signature;
      } catch (cause) {
        throw new MemRelayError(
          'decrypt_denied',
          'The wallet did not sign the session, which key servers require. Call again and approve it in the wallet.',
          { cause },
        );
      }
    }),
  );
}

/** Converts a session header to the form that Seal's client imports. */
export function exportedSession(header: string): ExportedSessionKey {
  const { mvrName: _, ...session } = JSON.parse(new TextDecoder().decode(fromBase64(header))) as EncSession;
  return session;
}
