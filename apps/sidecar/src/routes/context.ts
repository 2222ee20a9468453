import type { WrapExpectation } from '@memrelay/envelope/check-wrap';
import type { OwnedBlobsRequest, OwnedBlobsResponse } from '@memrelay/protocol/owned-blobs';
import type { StoreObjectsRequest, StoreObjectsResponse, WalletFunds } from '@memrelay/protocol/sidecar-api';
import type { StoreTariff } from '@memrelay/protocol/store-tariff';
import type { Logger } from 'pino';
import type { Pruner } from '../accounts/prune-expired.ts';
import type { Config } from '../config/config.ts';
import type { OpenPool } from '../open/open-pool.ts';
import type { KeyServerDirectory } from '../seal/key-server-directory.ts';
import type { SealPool } from '../seal/seal-pool.ts';
import type { ServerSets } from '../seal/server-sets.ts';
import type { SessionReader } from '../seal/session.ts';
import type { SessionMaker } from '../seal/session-maker.ts';
import type { KeyUnwrapper } from '../seal/unwrap-keys.ts';
import type { Sponsoring } from '../sponsor/sponsoring.ts';
import type { Uploads } from '../store/uploads.ts';
import type { ToolService } from '../tools/tool-service.ts';

/** Everything the routes need, built once. */
export interface SidecarContext {
  config: Config;
  pool: SealPool;
  openPool: OpenPool;
  sets: ServerSets;
  /** Decides which wraps may be opened */
  expectedWraps: WrapExpectation;
  directory: KeyServerDirectory;
  sessions: SessionReader;
  sessionMaker: SessionMaker;
  unwrapper: KeyUnwrapper;
  uploads: Uploads;
  /** The current storage epoch */
  storeEpoch(): Promise<number>;
  /** Current prices, and the duration of an epoch */
  storeTariff(): Promise<StoreTariff>;
  /** Reads blob objects from the chain */
  storeObjects(request: StoreObjectsRequest): Promise<StoreObjectsResponse>;
  ownedBlobs(request: OwnedBlobsRequest): Promise<OwnedBlobsResponse>;
  sponsoring: Sponsoring;
  /** Balances of our own wallets, and how many uploads for `epochs` epochs they pay for */
  walletFunds(epochs: number): Promise<WalletFunds[]>;
  pruner: Pruner;
  tools: ToolService;
  log: Logger;
}
