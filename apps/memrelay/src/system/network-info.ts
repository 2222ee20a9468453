import { type LocalnetInfo, localnetInfoSchema } from '@memrelay/protocol/localnet-info';

/** `GET /info` of a localnet. Throws if it does not respond or is not a localnet. */
export async function readLocalnetInfo(url: string): Promise<LocalnetInfo> {
  const response = await fetch(new URL('/info', url), { signal: AbortSignal.timeout(5_000) });
  if (!response.ok) throw new Error(`the localnet at ${url} answered ${response.status}`);
  return localnetInfoSchema.parse(await response.json());
}

/** Coins for gas and storage from the localnet's faucet. */
export async function askFaucet(url: string, recipient: string): Promise<void> {
  const response = await fetch(new URL('/faucet', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ recipient }),
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new Error(`the faucet answered ${response.status}`);
}
