import { currentRequestId } from '@memrelay/process/request-scope';
import { ApiError, type ErrorCode } from '@memrelay/protocol/errors';
import { decodeFrame, encodeFrame } from '@memrelay/protocol/framing';
import { headers } from '@memrelay/protocol/headers';
import {
  type ExportKeysRequest,
  type ExportKeysResponse,
  exportKeysResponse,
} from '@memrelay/protocol/key-exports';
import {
  type OwnedBlobsRequest,
  type OwnedBlobsResponse,
  ownedBlobsResponse,
} from '@memrelay/protocol/owned-blobs';
import {
  type DelegateKeyResponse,
  delegateKeyResponse,
  type KeyServersResponse,
  keyServersResponse,
  type MakeKeyRequest,
  type MakeKeyResponse,
  makeKeyResponse,
  type OpenRequestHead,
  type OpenResponseHead,
  openResponseHead,
  pruneResponse,
  type RewrapKeysRequest,
  type RewrapKeysResponse,
  rewrapKeysResponse,
  type SidecarHealth,
  type StoreInfo,
  type StoreObjectsRequest,
  type StoreObjectsResponse,
  sidecarError,
  sidecarHealth,
  storeEpochResponse,
  storeInfo,
  storeObjectsResponse,
  type UploadCheckpoint,
  type WalletFunds,
  walletsResponse,
} from '@memrelay/protocol/sidecar-api';
import {
  type SponsorExecuteRequest,
  type SponsorExecuteResponse,
  type SponsorRequest,
  type SponsorResponse,
  sponsorExecuteResponse,
  sponsorResponse,
} from '@memrelay/protocol/sponsor';
import { type StoreTariff, storeTariff } from '@memrelay/protocol/store-tariff';
import { type Dispatcher, Pool } from 'undici';
import { createFairTurns } from '../base/concurrency/fair-turns.ts';
import { type UploadRequest, uploadThrough } from './upload-through.ts';

export interface DecryptCredentials {
  encSession: string | undefined;
  delegateKey: string | undefined;
}

export interface SidecarClient {
  health(timeoutMs: number): Promise<SidecarHealth>;
  /** Its metrics in the text format of Prometheus; empty if it records none */
  metrics(timeoutMs: number): Promise<string>;
  keyServers(): Promise<KeyServersResponse>;
  storeInfo(): Promise<StoreInfo>;
  /** The current storage epoch */
  storeEpoch(): Promise<number>;
  /** Current storage prices, and the duration of an epoch */
  storeTariff(): Promise<StoreTariff>;
  /** Reads blob objects from the chain. Slow for an owner with very many objects. */
  storeObjects(request: StoreObjectsRequest): Promise<StoreObjectsResponse>;
  /** Lists one page of an address's blob objects */
  ownedBlobs(request: OwnedBlobsRequest): Promise<OwnedBlobsResponse>;
  makeKey(request: MakeKeyRequest): Promise<MakeKeyResponse>;
  /** Returns results in the order of the envelopes; `payload` contains the concatenated texts of the opened ones. */
  open(
    head: OpenRequestHead,
    envelopes: readonly Uint8Array[],
    credentials: DecryptCredentials,
  ): Promise<{ items: OpenResponseHead['items']; payload: Uint8Array }>;
  /** Balances of the server's wallets, and how many uploads for this number of epochs each can pay for */
  wallets(epochs: number): Promise<WalletFunds[]>;
  /** Opens the given wraps and wraps their keys for the current key servers */
  rewrapKeys(request: RewrapKeysRequest, credentials: DecryptCredentials): Promise<RewrapKeysResponse>;
  /** Exports keys sealed to the reader's key: the relayer cannot open anything with the response */
  exportKeys(request: ExportKeysRequest, credentials: DecryptCredentials): Promise<ExportKeysResponse>;
  /**
   * Yields checkpoints as they are reached; the last one is `done` or `failed` unless the connection broke. After
   * `named`, the sidecar pays only when the next checkpoint is requested: the caller must have saved `named` by then.
   */
  upload(request: UploadRequest): AsyncGenerator<UploadCheckpoint>;
  dropSessions(accountId: string): Promise<void>;
  /** False when no delegate has expired by the chain's clock. `wallet` pays, if wallets pay for uploads. */
  pruneExpired(accountId: string, wallet: string | undefined): Promise<boolean>;
  /** Creates a delegate key, which the sidecar does not keep; with its signed consent to join `accountId`, if given */
  makeDelegateKey(accountId: string | undefined): Promise<DelegateKeyResponse>;
  sponsor(request: SponsorRequest): Promise<SponsorResponse>;
  executeSponsored(request: SponsorExecuteRequest): Promise<SponsorExecuteResponse>;
  close(): Promise<void>;
}

/**
 * Maximum size in bytes of concurrent cryptographic work at the sidecar. Accounts take turns, so that one account
 * cannot occupy all of the sidecar's threads.
 */
const cryptoBytes = 32 * 1024 * 1024;
/** Minimum size counted per call: even a small call may make the threads contact key servers */
const minCryptoBytes = 1024 * 1024;

/** No process listens at the sidecar's address, so the call certainly had no effect. */
export class SidecarUnreachableError extends ApiError {
  override name = 'SidecarUnreachableError';
  constructor(cause: Error) {
    super('sidecar_unavailable', { cause });
  }
}

/** Sidecar errors that are passed on to the caller. Any other error becomes `sidecar_unavailable`. */
const passedOnErrors: ReadonlySet<ErrorCode> = new Set([
  'auth_unavailable',
  'decrypt_credential_required',
  'decrypt_denied',
  'decrypt_unavailable',
  'prune_required',
  'sponsor_failed',
  'sponsor_rejected',
  'sponsor_unavailable',
  'sponsor_unconfigured',
  'unsponsorable_transaction',
]);

/**
 * Calls the sidecar over loopback. Throws `ApiError`: the sidecar's error if it is in `passedOnErrors`, else
 * `sidecar_unavailable`.
 */
export function createSidecarClient(url: string, token: string): SidecarClient {
  const { origin } = new URL(url);
  const pool = new Pool(origin, { connections: 64, keepAliveTimeout: 30_000 });
  // Uploads take minutes when a publisher hangs (the pipeline limits their number), and health checks must work under
  // any load, so neither shares connections with recalls
  const uploads = new Pool(origin, { connections: null, keepAliveTimeout: 30_000 });
  const control = new Pool(origin, { connections: 2, keepAliveTimeout: 30_000 });
  const authorization = `Bearer ${token}`;
  const crypto = createFairTurns({ total: cryptoBytes });
  const inTurn = <T>(accountId: string, bytes: number, work: () => Promise<T>): Promise<T> =>
    crypto.run({ accountId, units: Math.max(bytes, minCryptoBytes) }, work);

  async function request(options: {
    method: 'GET' | 'POST';
    path: string;
    body?: Uint8Array | string;
    headers?: Record<string, string>;
    timeoutMs?: number;
    through?: Pool;
  }): Promise<Dispatcher.ResponseData> {
    const timeout = options.timeoutMs ?? 60_000;
    const requestId = currentRequestId();
    const response = await (options.through ?? pool)
      .request({
        method: options.method,
        path: options.path,
        headers: {
          authorization,
          ...(requestId === undefined ? {} : { [headers.requestId]: requestId }),
          ...options.headers,
        },
        body: options.body ?? null,
        headersTimeout: timeout,
        bodyTimeout: timeout,
      })
      .catch((cause: NodeJS.ErrnoException) => {
        if (cause.code === 'ECONNREFUSED') throw new SidecarUnreachableError(cause);
        throw new ApiError('sidecar_unavailable', { cause });
      });
    if (response.statusCode < 300) return response;
    throw refusal(response.statusCode, await response.body.json().catch(() => undefined));
  }

  async function postJson(
    path: string,
    body: unknown,
    credentials?: DecryptCredentials,
    timeoutMs?: number,
  ): Promise<unknown> {
    const response = await request({
      method: 'POST',
      path,
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...credentialHeaders(credentials) },
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
    return response.body.json();
  }

  const open: SidecarClient['open'] = async (head, envelopes, credentials) => {
    const response = await request({
      method: 'POST',
      path: '/envelopes/open',
      body: encodeFrame(head, envelopes),
      headers: {
        'content-type': 'application/octet-stream',
        ...credentialHeaders(credentials),
      },
    });
    const frame = decodeFrame(new Uint8Array(await response.body.arrayBuffer()));
    return { items: openResponseHead.parse(frame.head).items, payload: frame.payload };
  };

  return {
    async health(timeoutMs) {
      const response = await request({ method: 'GET', path: '/health', timeoutMs, through: control });
      return sidecarHealth.parse(await response.body.json());
    },
    async metrics(timeoutMs) {
      return (await request({ method: 'GET', path: '/metrics', timeoutMs, through: control })).body.text();
    },
    async keyServers() {
      const response = await request({ method: 'GET', path: '/key-servers' });
      return keyServersResponse.parse(await response.body.json());
    },
    async storeInfo() {
      const response = await request({ method: 'GET', path: '/store' });
      return storeInfo.parse(await response.body.json());
    },
    async wallets(epochs) {
      const response = await request({ method: 'GET', path: `/wallets?epochs=${epochs}`, timeoutMs: 30_000 });
      return walletsResponse.parse(await response.body.json()).wallets;
    },
    async storeEpoch() {
      const response = await request({ method: 'GET', path: '/store/epoch', timeoutMs: 30_000 });
      return storeEpochResponse.parse(await response.body.json()).epoch;
    },
    async storeTariff() {
      const response = await request({ method: 'GET', path: '/store/tariff', timeoutMs: 30_000 });
      return storeTariff.parse(await response.body.json());
    },
    storeObjects: async (body) =>
      storeObjectsResponse.parse(await postJson('/store/objects', body, undefined, 180_000)),
    ownedBlobs: async (body) => ownedBlobsResponse.parse(await postJson('/store/owned', body)),
    makeKey: (body) =>
      inTurn(body.origin, 0, async () => makeKeyResponse.parse(await postJson('/keys', body))),
    async open(head, envelopes, credentials) {
      const bytes = envelopes.reduce((sum, { byteLength }) => sum + byteLength, 0);
      return inTurn(head.account.id, bytes, () => open(head, envelopes, credentials));
    },
    rewrapKeys: (body, credentials) =>
      inTurn(body.account.id, 0, async () =>
        rewrapKeysResponse.parse(await postJson('/keys/rewrap', body, credentials)),
      ),
    exportKeys: (body, credentials) =>
      inTurn(body.account.id, 0, async () =>
        exportKeysResponse.parse(await postJson('/keys/export', body, credentials)),
      ),
    upload: (asked) =>
      uploadThrough((call) => request({ ...call, through: call.isShort ? control : uploads }), asked),
    async dropSessions(accountId) {
      await postJson('/sessions/drop', { account_id: accountId });
    },
    async pruneExpired(accountId, wallet) {
      const body = { account_id: accountId, ...(wallet === undefined ? {} : { wallet }) };
      return pruneResponse.parse(await postJson('/accounts/prune', body)).pruned;
    },
    makeDelegateKey: async (accountId) =>
      delegateKeyResponse.parse(
        await postJson('/accounts/delegate-key', accountId === undefined ? {} : { account_id: accountId }),
      ),
    sponsor: async (body) => sponsorResponse.parse(await postJson('/sponsor', body)),
    executeSponsored: async (body) => sponsorExecuteResponse.parse(await postJson('/sponsor/execute', body)),
    async close() {
      // An upload may take minutes, so do not wait for it; the worker that resumes it reads its state from the chain
      await Promise.all([uploads.destroy(), pool.close(), control.close()]);
    },
  };
}

function credentialHeaders(credentials?: DecryptCredentials): Record<string, string> {
  const { encSession, delegateKey } = credentials ?? {};
  return {
    ...(encSession ? { [headers.encSession]: encSession } : {}),
    ...(delegateKey ? { [headers.delegateKey]: delegateKey } : {}),
  };
}

function refusal(status: number, body: unknown): ApiError {
  const { error, message } = sidecarError.safeParse(body).data ?? {};
  if (passedOnErrors.has(error as ErrorCode)) return new ApiError(error as ErrorCode, { message: message! });
  return new ApiError('sidecar_unavailable', { cause: new Error(`the sidecar returned ${status} ${error}`) });
}
