import type { AddressInfo } from 'node:net';
import type { LocalnetInfo } from '@memrelay/protocol/localnet-info';
import { type Logger, pino } from 'pino';
import { type Network, type NetworkOptions, openNetwork } from './network.ts';
import { createServer } from './server.ts';

export interface LocalnetOptions extends NetworkOptions {
  /** 0 picks a free port */
  port: number;
  logger?: Logger;
  /** Origins whose pages may do more than GET; any by default */
  allowedOrigins?: readonly string[];
}

export interface Localnet {
  /** Base URL of the RPC, the faucet, `/info` and the key servers, without a trailing slash */
  url: string;
  network: Network;
  /** The current response of `/info` */
  readonly info: LocalnetInfo;
  close(): Promise<void>;
}

/**
 * Starts the network on 127.0.0.1. Throws `DirectoryLockedError` for a data directory in use, and the listen error
 * (`EADDRINUSE`) for a taken port.
 */
export async function createLocalnet(options: LocalnetOptions): Promise<Localnet> {
  const network = openNetwork(options);
  let url = '';
  const { allowedOrigins, logger = pino({ enabled: false }) } = options;
  const app = createServer(network, { baseUrl: () => url, logger, allowedOrigins });
  try {
    await app.listen({ host: '127.0.0.1', port: options.port });
  } catch (error) {
    await app.close();
    network.close();
    throw error;
  }
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  network.registerKeyServers(url);
  return {
    url,
    network,
    get info() {
      return network.info(url);
    },
    close: async () => {
      // Open subscriptions would keep the server waiting forever.
      app.server.closeAllConnections();
      await app.close();
      network.close();
    },
  };
}
