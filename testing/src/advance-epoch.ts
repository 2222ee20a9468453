import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestNetwork } from './test-network.ts';

/** Moves the network's storage to its next epoch. Throws when the network rejects the request. */
export async function advanceEpoch({
  chainUrl,
  paths,
}: Pick<TestNetwork, 'chainUrl' | 'paths'>): Promise<void> {
  const token = (await readFile(join(paths.localnet, 'admin.token'), 'utf8')).trim();
  const response = await fetch(`${chainUrl}/admin/advance-epoch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: '{}',
  });
  if (response.status !== 200)
    throw new Error(`the network returned status ${response.status}: ${await response.text()}`);
}
