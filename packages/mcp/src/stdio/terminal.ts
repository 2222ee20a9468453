import { createInterface } from 'node:readline';
import type { CredentialFile } from '@memrelay/protocol/credential-file';
import { dataDir } from '@memrelay/sdk/data-dir-node';
import { MemRelayError } from '@memrelay/sdk/errors';
import { signInCredentialsPath } from '@memrelay/sdk/save-credentials-node';
import { handOverCode } from '../sign-in/hand-over-code.ts';
import { originalCredentialsPath } from '../sign-in/original-credentials.ts';
import { SignInError } from '../sign-in/sign-in-error.ts';
import { ToolRefusal } from '../tools/tool-refusal.ts';
import { pageHint } from './page-hint.ts';
import type { Settings } from './settings.ts';
import { signInDesk } from './sign-in-desk.ts';
import { signOut } from './sign-out.ts';
import type { Log } from './stderr-log.ts';
import { readStored } from './stored-credentials.ts';

type Print = (line: string) => void;

const inAHost = `This program is meant to be started by an agent's host. To add it to one:

  npx memrelay mcp install claude-code     (or claude-desktop, cursor, vscode, codex, gemini, openclaw)

Then ask your agent to remember something. --help shows all flags.`;

/** Runs when the package is started in a terminal. Returns the exit code. */
export async function startFromTerminal(settings: Settings, log: Log, print: Print): Promise<number> {
  const stored = await readStored();
  if (stored.state === 'absent' || settings.forceLogin) return signInFromTerminal(settings, log, print);
  if (stored.state === 'unusable') {
    print(`${stored.reason}\n\nRun npx memrelay-mcp login to replace it.`);
    return 1;
  }
  print(`${whoIs(stored.credentials)}\n\n${inAHost}`);
  return 0;
}

/** Starts a sign-in and waits for its result, or for a pasted code. Returns the exit code. */
export async function signInFromTerminal(settings: Settings, log: Log, print: Print): Promise<number> {
  const desk = signInDesk(settings, log);
  const pasted = createInterface({ input: process.stdin });
  // Only Ctrl-C interrupts. When the input of a script ends, the browser can still complete the sign-in.
  const interrupted = new Promise<never>((_, reject) => {
    process.once('SIGINT', () =>
      reject(new ToolRefusal('interrupted', 'Interrupted. You are not signed in.')),
    );
  });
  try {
    const { url, shortCode, webUrl, opened, done } = await desk.open({
      onRefused: (reason) => print(`Sign-in attempt rejected: ${reason}`),
    });
    print(
      opened
        ? `Opened a page of ${new URL(webUrl).origin}. If you do not see it, open:`
        : 'Open this page and sign in:',
    );
    print(`\n  ${url}\n`);
    print(`Continue there only if the page shows this code: ${shortCode}\n`);
    print('The link works once, for 5 minutes. If the page shows a command at the end, paste it here.');
    for (const line of pageHint(webUrl)) print(line);
    pasted.on('line', (line) => {
      if (line.trim() !== '') handOverCode(line).catch((error: unknown) => print((error as Error).message));
    });
    const credentials = await Promise.race([done, interrupted]);
    print(`\n${whoIs(credentials)}\nWritten to ${signInCredentialsPath()}.\n\n${inAHost}`);
    return 0;
  } catch (error) {
    return failed(error, print);
  } finally {
    pasted.close();
    desk.close();
  }
}

/** Signs in with the key in MemWal's credential file, without changing that file. Returns the exit code. */
export async function importFromMemwal(settings: Settings, print: Print): Promise<number> {
  const { importCredentials } = await import('../sign-in/import-credentials.ts');
  try {
    const credentials = await importCredentials({
      from: originalCredentialsPath(),
      to: signInCredentialsPath(),
      relayerUrl: settings.relayerUrl,
      dataDir: dataDir(),
    });
    print(
      `${whoIs(credentials)}\nThe key of ${originalCredentialsPath()} was copied to ${signInCredentialsPath()}.\n\n${inAHost}`,
    );
    return 0;
  } catch (error) {
    return failed(error, print);
  }
}

/** Passes a code to the waiting process. Returns the exit code. */
export async function bringCode(code: string, print: Print): Promise<number> {
  try {
    const { walletAddress, accountId } = await handOverCode(code);
    print(`Signed in as wallet ${walletAddress}, account ${accountId}. Your agent can use memory now.`);
    return 0;
  } catch (error) {
    return failed(error, print);
  }
}

/** Deletes the credentials. Returns the exit code. */
export async function signOutFromTerminal(print: Print): Promise<number> {
  try {
    print(await signOut());
    return 0;
  } catch (error) {
    return failed(error, print);
  }
}

function failed(error: unknown, print: Print): number {
  const expected = [SignInError, ToolRefusal, MemRelayError].some((kind) => error instanceof kind);
  if (!expected) throw error;
  print((error as Error).message);
  return 1;
}

function whoIs({ walletAddress, accountId, relayerUrl, label }: CredentialFile): string {
  return [
    `Signed in to ${relayerUrl}`,
    `  wallet   ${walletAddress}`,
    `  account  ${accountId}`,
    `  key      ${JSON.stringify(label)}`,
  ].join('\n');
}
