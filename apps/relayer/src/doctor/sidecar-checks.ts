import type { WalletFunds } from '@memrelay/protocol/sidecar-api';
import { sidecarTokenProof } from '@memrelay/protocol/sidecar-token-node';
import { ConfigError } from '../base/config/config-error.ts';
import { createLoggers } from '../base/logging/loggers.ts';
import type { Config } from '../config/config.ts';
import { readKeyServers } from '../keys/key-servers.ts';
import { createSidecarClient } from '../sidecar/sidecar-client.ts';
import { type CloseStack, createCloseStack } from '../start/close-stack.ts';
import { startSidecar } from '../start/start-sidecar.ts';
import { type Finding, failed, ok, skipped, warning } from './finding.ts';
import { keyServerChecks, publisherCheck } from './http-checks.ts';

/**
 * Checks what only the sidecar knows: key servers, storage network, wallets. Uses the running sidecar of this relayer, or
 * starts one until the checks have ended.
 */
export async function sidecarChecks(config: Config, environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  const opened = createCloseStack();
  try {
    const { sidecar, keyServers, store } =
      (await runningSidecar(opened, config)) ??
      (await startSidecar(opened, {
        config,
        // The keys are deleted from the object that is given
        environment: { ...environment, RUST_LOG: 'off' },
        relayerUrl: `http://127.0.0.1:${config.port}`,
        loggers: createLoggers({ filter: 'off', format: 'json' }),
        onLost: () => undefined,
      }));
    const [servers, publisher, wallets] = await Promise.all([
      keyServerChecks(keyServers),
      publisherCheck(
        environment.STORE_PUBLISHER_URL?.trim() || undefined,
        config.network,
        store.wallets.length,
      ),
      sidecar.wallets(config.storeEpochs).then(
        (funds) => walletChecks(funds, config.alerts.walletUploads),
        () => [failed('wallets', 'their balances cannot be read', 'check CHAIN_RPC_URL', 'unreachable')],
      ),
    ]);
    return [ok('sidecar', 'answers'), ...servers, publisher, ...wallets];
  } catch (error) {
    if (error instanceof ConfigError)
      return error.problems.map((problem) =>
        failed('sidecar', problem, 'correct this variable and run the command again', 'settings'),
      );
    return [
      failed(
        'sidecar',
        (error as Error).message,
        'run memrelay relayer: its log says why the sidecar does not start',
      ),
    ];
  } finally {
    await opened.close();
  }
}

/** The sidecar that runs with our token, next to a relayer or alone; undefined if there is none. */
async function runningSidecar(opened: CloseStack, { sidecar: { url, token } }: Config) {
  const sidecar = opened.add(createSidecarClient(url, token));
  const health = await sidecar.health(1_000).catch(() => undefined);
  if (health?.token_proof !== sidecarTokenProof(token)) return undefined;
  const [keyServers, store] = await Promise.all([readKeyServers(sidecar), sidecar.storeInfo()]);
  return { sidecar, keyServers, store };
}

/** Whether each wallet has funds for enough uploads, or sponsored transactions. */
export function walletChecks(wallets: readonly WalletFunds[], enough: number): Finding[] {
  const check = 'wallets';
  if (wallets.length === 0) return [skipped(check, 'none: a publisher pays for uploads')];
  return wallets.map(({ address, purpose, pays_for: paysFor, short_of: coin }) => {
    const what = purpose === 'uploads' ? 'uploads' : 'sponsored transactions';
    const text = `${address} can pay for ${paysFor} ${what}`;
    const fix = `send ${coin} to ${address}`;
    if (paysFor === 0) return failed(check, text, fix);
    return paysFor < enough ? warning(check, text, fix) : ok(check, text);
  });
}
