import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CredentialFile } from '@memrelay/protocol/credential-file';
import type { RelayerWorld } from './relayer-world.ts';

/** Calls `use` with the path of a credential file of the first owner, for commands. The file is removed afterwards. */
export async function withCredentialFile(
  { owner, network, relayer }: Pick<RelayerWorld, 'owner' | 'network' | 'relayer'>,
  use: (path: string) => Promise<void>,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'memrelay-credentials-'));
  try {
    const path = join(directory, 'credentials.json');
    const { delegate: key, wallet, accountId } = owner;
    const file: CredentialFile = {
      delegatePrivateKey: key.privateKey,
      delegatePublicKey: key.publicKey,
      delegateAddress: key.address,
      walletAddress: wallet.address,
      accountId,
      packageId: network.info.packageId,
      relayerUrl: relayer.url,
      label: 'test',
      createdAt: new Date().toISOString(),
    };
    await writeFile(path, JSON.stringify(file), { mode: 0o600 });
    await use(path);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
