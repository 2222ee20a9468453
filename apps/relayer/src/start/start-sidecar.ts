import type { Loggers } from '../base/logging/loggers.ts';
import type { Config } from '../config/config.ts';
import { readKeyServers } from '../keys/key-servers.ts';
import { runSidecar } from '../sidecar/run-sidecar.ts';
import { createSidecarClient } from '../sidecar/sidecar-client.ts';
import type { CloseStack } from './close-stack.ts';

/** Starts the sidecar, or adopts the one that is running, and asks it for the key servers and the storage network. */
export async function startSidecar(
  opened: CloseStack,
  options: {
    config: Pick<Config, 'sidecar'>;
    environment: NodeJS.ProcessEnv;
    relayerUrl: string;
    loggers: Loggers;
    onLost: (reason: string) => void;
  },
) {
  const { config, environment, relayerUrl, loggers, onLost } = options;
  const sidecar = opened.add(createSidecarClient(config.sidecar.url, config.sidecar.token));
  const running = await runSidecar({
    ...config.sidecar,
    client: sidecar,
    environment,
    relayerUrl,
    log: loggers.sidecar,
    onLost,
  });
  opened.push(() => running.stop());
  const [keyServers, store] = await Promise.all([readKeyServers(sidecar), sidecar.storeInfo()]);
  return { sidecar, keyServers, store };
}
