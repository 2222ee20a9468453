import { randomBytes } from 'node:crypto';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import type { CredentialFile } from '@memrelay/protocol/credential-file';
import { type CallbackAccepted, callbackHello } from '@memrelay/sdk/account/sign-in/callback-answer';
import type { HandOver } from '@memrelay/sdk/account/sign-in/hand-over';
import { shortCode } from '@memrelay/sdk/account/sign-in/short-code';
import {
  checkShown,
  SignInFormatError,
  type SignInRequest,
  signInFragment,
} from '@memrelay/sdk/account/sign-in/sign-in-request';
import { dataDir } from '@memrelay/sdk/data-dir-node';
import { saveCredentials } from '@memrelay/sdk/save-credentials-node';
import { startCallback } from './callback-server.ts';
import { checkWallet } from './check-wallet.ts';
import { credentialsOf } from './credentials-of.ts';
import { expectedWallet } from './expected-wallet.ts';
import { checkedWebUrl, pairingParameter } from './page-address.ts';
import { PendingSignIn } from './pending-sign-in.ts';
import { Refusal } from './refusal.ts';
import { SignInError } from './sign-in-error.ts';

/** Spec, "Limits": login URL validity */
const validMs = 300_000;
const patienceMs = 8_000;

export interface SignInOptions {
  /** The dashboard; its page is `${webUrl}/connect/mcp` */
  webUrl: string;
  /** The relayer for the new credentials */
  relayerUrl: string;
  /** Name of the tool, at most 64 bytes; shown on the page and stored on chain with the key */
  label: string;
  /** Path of the credential file; an existing file is replaced only when the new one is complete */
  credentialsPath: string;
  /** Data directory of a local system; default: `MEM_DATA_DIR`, else the platform's */
  dataDir?: string;
  fetch?: typeof globalThis.fetch;
  /** How long the link is valid; default 5 minutes */
  validMs?: number;
  /** How long to wait for the key to appear on chain; default 8 seconds */
  patienceMs?: number;
  /** Called with the reason when an answer to this sign-in was rejected, at most five times */
  onRefused?: (reason: string) => void;
}

export interface SignIn {
  /** The link for the user's browser. Works once */
  url: string;
  /** Shown by the tool and by the page, for the user to compare */
  shortCode: string;
  /** The only accepted wallet; undefined if any wallet is accepted */
  expectedWallet: string | undefined;
  expiresAt: Date;
  /** Resolves with the verified and saved credentials. Rejects with `SignInError`; may be ignored */
  done: Promise<CredentialFile>;
  /** Ends the sign-in and invalidates the link. Does nothing if it has already ended */
  cancel(): void;
}

/**
 * Starts a sign-in: listens on 127.0.0.1 for the page's answer and returns the link to the page (security.md, "Sign-in"). Throws `SignInError` `insecure_web_url`, `invalid_request` and `local_wallet_unknown`.
 */
export async function startSignIn(options: SignInOptions): Promise<SignIn> {
  const webUrl = checkedWebUrl(options.webUrl);
  checkRequested(options);
  const privateKey = nodePrimitives.randomBytes(32);
  const keyPair = { privateKey, publicKey: nodePrimitives.x25519PublicKey(privateKey) };
  const verifier = randomBytes(32);
  const challenge = nodePrimitives.sha256(verifier);
  const expiresAt = new Date(Date.now() + (options.validMs ?? validMs));
  const directory = options.dataDir ?? dataDir();
  const pairing = await pairingParameter(webUrl, directory, expiresAt);
  const wallet = await expectedWallet(options.relayerUrl, directory);

  const callback = await startCallback({
    origin: new URL(webUrl).origin,
    hello: callbackHello({ challenge }),
    async accept(code): Promise<CallbackAccepted> {
      const { walletAddress, accountId } = await pending.accept(code);
      return { verifier: verifier.toString('base64url'), walletAddress, accountId };
    },
    // Only after the response: a caller waiting on `done` may exit, and a page without a response revokes the key
    onAccepted: () => pending.finish(),
    onBadTry: (reason) => options.onRefused?.(reason),
    onTooManyTries: () =>
      pending.end(new SignInError('too_many_tries', 'The sign-in was cancelled after five wrong answers.')),
  });
  const request: SignInRequest = {
    publicKey: keyPair.publicKey,
    port: callback.port,
    state: randomBytes(32),
    challenge,
    expiresAt: Math.floor(expiresAt.getTime() / 1000),
    label: options.label,
    relayerUrl: options.relayerUrl,
  };
  const pending = new PendingSignIn({
    keyPair,
    request,
    check: async (handOver) => {
      checkWallet(handOver, wallet);
      return checked(handOver, options);
    },
    save: (credentials) => saved(credentials, options.credentialsPath),
  });
  const timer = setTimeout(
    () => pending.end(new SignInError('expired', 'The sign-in link expired before anyone signed in.')),
    expiresAt.getTime() - Date.now(),
  );
  const closed = (): void => {
    clearTimeout(timer);
    callback.close();
  };
  pending.done.then(closed, closed);
  return {
    url: `${webUrl}/connect/mcp#${signInFragment(request)}${pairing}`,
    shortCode: shortCode(request),
    expectedWallet: wallet,
    expiresAt,
    done: pending.done,
    cancel: () => pending.end(new SignInError('cancelled', 'The sign-in was cancelled.')),
  };
}

function checkRequested(options: SignInOptions): void {
  try {
    checkShown(options);
  } catch (error) {
    if (error instanceof SignInFormatError)
      throw new SignInError('invalid_request', `Cannot start a sign-in: ${error.message}.`);
    throw error;
  }
}

/** Loads the chain client lazily, because it is large. */
async function checked(handOver: HandOver, options: SignInOptions): Promise<CredentialFile> {
  const { checkRegistration } = await import('./check-registration.ts');
  const { relayerUrl, fetch = globalThis.fetch } = options;
  const delegate = await checkRegistration({
    relayerUrl,
    handOver,
    fetch,
    patienceMs: options.patienceMs ?? patienceMs,
  });
  return credentialsOf(handOver, delegate, relayerUrl);
}

async function saved(credentials: CredentialFile, path: string): Promise<void> {
  try {
    await saveCredentials(path, credentials);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).name;
    throw new Refusal(500, 'not_saved', `The tool could not write its credential file (${reason}).`);
  }
}
