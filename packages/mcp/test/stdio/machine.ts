import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { CredentialFile } from '@memrelay/protocol/credential-file';
import { saveCredentials, signInCredentialsPath } from '@memrelay/sdk/save-credentials-node';
import { afterEach, beforeAll, beforeEach } from 'vitest';
import { type StdioOptions, type StdioProcess, startStdio } from './stdio-process.ts';

/** Two key pairs, so that a test can tell which one signs. */
export const keys = [
  ['11'.repeat(32), 'd04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737'],
  ['22'.repeat(32), 'a09aa5f47a6759802ff955f8dc2d2a14a5c99d23be97f864127ff9383455a4f0'],
] as const;

const bin = fileURLToPath(new URL('../../bin/memrelay-mcp.mjs', import.meta.url));

/** A user's machine: a separate home for each test, and the processes started there. */
export interface Machine {
  readonly home: string;
  readonly credentialsPath: string;
  start(options?: StdioOptions): StdioProcess;
  /** Writes the credential file as a sign-in does */
  signIn(relayerUrl: string, key?: (typeof keys)[number]): Promise<void>;
}

export function useMachine(): Machine {
  let home: string;
  const started: StdioProcess[] = [];
  // Builds it, so that no test waits for that
  beforeAll(() => promisify(execFile)(process.execPath, [bin, '--help']));
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'mcp-machine-'));
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((stdio) => stdio.end()));
    await rm(home, { recursive: true });
  });
  return {
    get home() {
      return home;
    },
    get credentialsPath() {
      return signInCredentialsPath(home);
    },
    start(options) {
      const stdio = startStdio(home, options);
      started.push(stdio);
      return stdio;
    },
    signIn: (relayerUrl, [delegatePrivateKey, delegatePublicKey] = keys[0]) => {
      const address = (digit: string): string => `0x${digit.repeat(64)}`;
      const file: CredentialFile = {
        delegatePrivateKey,
        delegatePublicKey,
        delegateAddress: address('2'),
        walletAddress: address('3'),
        accountId: address('4'),
        packageId: address('5'),
        relayerUrl,
        label: 'test',
        createdAt: '2026-03-02T10:00:00Z',
      };
      return saveCredentials(signInCredentialsPath(home), file);
    },
  };
}
