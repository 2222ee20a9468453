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
  /** Throws `ToolRefusal` when it is not known where to sign in */
  open(): Promise<OpenSignIn & Pick<SignIn, 'done'>>;
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
    open() {
      const opening = last.then(openOne);
      last = opening.catch(() => undefined);
      return opening;
    },
  };

  async function openOne(): ReturnType<SignInDesk['open']> {
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
    });
    current = signIn;
    signIn.done.then(
      ({ walletAddress, accountId }) => log.info('signed in', { walletAddress, accountId, relayerUrl }),
      (error: unknown) => log.info('the sign-in ended', { reason: (error as Error).message }),
    );
    const opened = await openBrowser(signIn.url);
    const { url, expiresAt, done } = signIn;
    return { url, expiresAt, done, webUrl, relayerUrl, opened, present: credentials };
  }
}
