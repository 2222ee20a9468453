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
  /** The page shows the same code */
  shortCode: string;
  /** The only accepted wallet; undefined if any wallet is accepted */
  expectedWallet: string | undefined;
  expiresAt: Date;
  webUrl: string;
  relayerUrl: string;
  /** Whether a browser was opened on the URL */
  opened: boolean;
  /** The credentials in use until this sign-in completes */
  present: CredentialFile | undefined;
}

export interface OpenOptions {
  onRefused?: (reason: string) => void;
  client?: string | undefined;
}

const defaultLabel = 'memrelay MCP';

/** Manages the user's sign-in: one at a time; a new one closes the previous one. */
export interface SignInDesk {
  /**
   * Throws `ToolRefusal` if no dashboard is known. `onRefused` is called with the reason for each rejected attempt.
   * `client` is the host's name for itself, which becomes the label of the key unless the settings have one.
   */
  open(options?: OpenOptions): Promise<OpenSignIn & Pick<SignIn, 'done'>>;
  close(): void;
}

export function signInDesk(settings: Settings, log: Log): SignInDesk {
  let current: SignIn | undefined;
  const close = (): void => {
    current?.cancel();
    current = undefined;
  };
  // Serialised: otherwise, with two concurrent calls, the first sign-in would stay open without anyone seeing its link.
  let last: Promise<unknown> = Promise.resolve();
  return {
    close,
    open(options = {}) {
      const opening = last.then(() => openOne(options));
      last = opening.catch(() => undefined);
      return opening;
    },
  };

  async function openOne({ onRefused, client }: OpenOptions): ReturnType<SignInDesk['open']> {
    const stored = await readStored();
    const credentials = stored.state === 'present' ? stored.credentials : undefined;
    const { relayerUrl, webUrl } = await chooseService(settings, credentials);
    // Loaded lazily: checking a sign-in needs the chain client, which would delay the start.
    const { startSignIn } = await import('../sign-in/start-sign-in.ts');
    close();
    const signIn = await startSignIn({
      webUrl,
      relayerUrl,
      label: settings.label ?? client ?? defaultLabel,
      credentialsPath: signInCredentialsPath(),
      onRefused(reason) {
        log.info('sign-in attempt rejected', { reason });
        onRefused?.(reason);
      },
    });
    current = signIn;
    signIn.done.then(
      ({ walletAddress, accountId }) => log.info('signed in', { walletAddress, accountId, relayerUrl }),
      (error: unknown) => log.info('sign-in ended', { reason: (error as Error).message }),
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
