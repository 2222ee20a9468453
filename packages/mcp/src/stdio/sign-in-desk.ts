import type { CredentialFile } from '@memrelay/protocol/credential-file';
import { signInCredentialsPath } from '@memrelay/sdk/save-credentials-node';
import type { SignIn } from '../sign-in/start-sign-in.ts';
import { openBrowser } from './open-browser.ts';
import { chooseService } from './relayer-choice.ts';
import type { Settings } from './settings.ts';
import type { Log } from './stderr-log.ts';
import { readStored } from './stored-credentials.ts';

export interface OpenSignIn {
  url: string;
  /** The page shows the same one */
  shortCode: string;
  /** The only wallet that is accepted; undefined where any is */
  expectedWallet: string | undefined;
  expiresAt: Date;
  webUrl: string;
  relayerUrl: string;
  /** A browser was started on it */
  opened: boolean;
  /** Who is signed in until it is done */
  present: CredentialFile | undefined;
}

/** Where a person signs in: one sign-in at a time, a new one closes the one before. */
export interface SignInDesk {
  /** Throws `ToolRefusal` when it is not known where to sign in. `onRefused` is called with the reason for a bad try. */
  open(onRefused?: (reason: string) => void): Promise<OpenSignIn & Pick<SignIn, 'done'>>;
  close(): void;
}

export function signInDesk(settings: Settings, log: Log): SignInDesk {
  let current: SignIn | undefined;
  const close = (): void => {
    current?.cancel();
    current = undefined;
  };
  // One after the other: of two that are asked for at once the first would else stay open, known to nobody.
  let last: Promise<unknown> = Promise.resolve();
  return {
    close,
    open(onRefused) {
      const opening = last.then(() => openOne(onRefused));
      last = opening.catch(() => undefined);
      return opening;
    },
  };

  async function openOne(onRefused?: (reason: string) => void): ReturnType<SignInDesk['open']> {
    const stored = await readStored();
    const credentials = stored.state === 'present' ? stored.credentials : undefined;
    const { relayerUrl, webUrl } = await chooseService(settings, credentials);
    // Loaded when it is needed: checking a sign-in takes the chain client, which a start should not wait for.
    const { startSignIn } = await import('../sign-in/start-sign-in.ts');
    close();
    const signIn = await startSignIn({
      webUrl,
      relayerUrl,
      label: settings.label,
      credentialsPath: signInCredentialsPath(),
      onRefused(reason) {
        log.info('a sign-in was refused', { reason });
        onRefused?.(reason);
      },
    });
    current = signIn;
    signIn.done.then(
      ({ walletAddress, accountId }) => log.info('signed in', { walletAddress, accountId, relayerUrl }),
      (error: unknown) => log.info('the sign-in ended', { reason: (error as Error).message }),
    );
    const removeFile = await openBrowser(signIn.url);
    if (removeFile) signIn.done.then(removeFile, removeFile);
    const { url, shortCode, expectedWallet, expiresAt, done } = signIn;
    return {
      url,
      shortCode,
      expectedWallet,
      expiresAt,
      done,
      webUrl,
      relayerUrl,
      opened: removeFile !== undefined,
      present: credentials,
    };
  }
}
