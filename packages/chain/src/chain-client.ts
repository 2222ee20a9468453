import { SuiGrpcClient } from '@mysten/sui/grpc';
import { chainError } from './chain-errors.ts';

export interface ChainClientOptions {
  /** `mainnet`, `testnet` or `localnet` */
  network: string;
  /** gRPC-web address of a full node or of the localnet */
  baseUrl: string;
  /** Timeout of one call; default 4000 ms */
  timeoutMs?: number;
  fetch?: typeof fetch;
}

/** A connection to the chain. It keeps no sockets open, so there is nothing to close. */
export interface ChainClient {
  readonly sui: SuiGrpcClient;
  /**
   * Runs `work` with a signal that aborts after `timeoutMs` (the client's own limit by default). Its errors become
   * `ChainUnavailableError` or `ChainRejectedError`.
   */
  call<T>(work: (sui: SuiGrpcClient, signal: AbortSignal) => Promise<T>, timeoutMs?: number): Promise<T>;
}

export function createChainClient(options: ChainClientOptions): ChainClient {
  const { network, baseUrl, timeoutMs: ownTimeout = 4_000 } = options;
  const sui = new SuiGrpcClient({ network, baseUrl, ...(options.fetch ? { fetch: options.fetch } : {}) });
  return {
    sui,
    async call(work, timeoutMs = ownTimeout) {
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        return await work(sui, signal);
      } catch (error) {
        throw chainError(error);
      }
    },
  };
}
