import { randomBytes } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import { type Answer, exchange, type Observer, type Sent } from './exchange.ts';
import { expectAnswer, jsonOf } from './expectations.ts';

/** The services that the suite tests. */
export interface Targets {
  publisher?: string | undefined;
  aggregator?: string | undefined;
  /** Token for the admin routes, if the aggregator is a blob store of this repository */
  adminToken?: string | undefined;
  /** A publisher that requires tokens signed with this HS256 secret and verifies uploads; may be `publisher` */
  tokens?: { publisher: string; secret: string } | undefined;
  /**
   * A blob store of this repository that processes one store at a time, with bodies up to 1 KiB and quilts up to 64
   * KiB
   */
  tight?: string | undefined;
  /**
   * A blob store of this repository that serves blobs up to 500 bytes and has the ids of the text `blocked` and its
   * quilt in its blocklist
   */
  restricted?: string | undefined;
  /** An upload relay on the chain of the publisher */
  relay?: string | undefined;
  /** How many shards blob ids are computed for, 1000 by default */
  shards?: number;
  observer?: Observer;
}

export interface BlobObject {
  id: string;
  registeredEpoch: number;
  blobId: string;
  size: number;
  encodingType: string;
  certifiedEpoch: number | null;
  storage: { id: string; startEpoch: number; endEpoch: number; storageSize: number };
  deletable: boolean;
}

export interface StoreResponse {
  newlyCreated?: {
    blobObject: BlobObject;
    resourceOperation: Record<string, Record<string, number>>;
    cost: number;
    sharedBlobObject?: string;
  };
  alreadyCertified?: {
    blobId: string;
    endEpoch: number;
    event?: { txDigest: string; eventSeq: string };
    object?: string;
  };
}

export interface QuiltResponse {
  blobStoreResult: StoreResponse;
  storedQuiltBlobs: { identifier: string; quiltPatchId: string; range: [number, number] }[];
}

export interface Request {
  method?: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Uint8Array;
}

export interface StoredBlob {
  blobId: string;
  objectId: string;
  bytes: Buffer;
}

/** The state that rows share: the services, and a blob that is stored once for all rows. */
export interface Session {
  targets: Targets;
  /** Whether this is the blob store of this repository, which differs from Walrus in some documented points */
  ours: boolean;
  shards: number;
  publisher(path: string, request?: Request): Promise<Answer>;
  aggregator(path: string, request?: Request): Promise<Answer>;
  at(base: string, path: string, request?: Request): Promise<Answer>;
  admin(path: string, method: string, body?: object): Promise<Answer>;
  /** Stores bytes and returns the parsed response. */
  store(body: string | Uint8Array, query?: string): Promise<StoreResponse>;
  /** Stores bytes as a new object and returns it. */
  create(body: string | Uint8Array, query?: string): Promise<NonNullable<StoreResponse['newlyCreated']>>;
  blob(): Promise<StoredBlob>;
}

async function isOurs(at: Session['at'], base: string): Promise<boolean> {
  const { status, body } = await at(base, '/v1/api/openapi.json');
  return status === 200 && body.toString().startsWith('{"openapi"');
}

/** Throws if no service responds. */
export async function openSession(targets: Targets): Promise<Session> {
  const { publisher, aggregator, adminToken, observer } = targets;

  async function at(base: string, path: string, request: Request = {}): Promise<Answer> {
    const { method = 'GET', headers = {}, body } = request;
    const url = `${base.replace(/\/$/, '')}${path}`;
    const sent: Sent = { method, url, headers, body: body === undefined ? undefined : Buffer.from(body) };
    const answer = await exchange(sent);
    observer?.(sent, answer);
    return answer;
  }

  const base = aggregator ?? publisher;
  if (base === undefined) throw new Error('a publisher or an aggregator is required');
  let blob: Promise<StoredBlob> | undefined;

  const session: Session = {
    targets,
    ours: await isOurs(at, base),
    shards: targets.shards ?? 1000,
    at,
    publisher: (path, request) => at(publisher!, path, request),
    aggregator: (path, request) => at(aggregator!, path, request),
    admin: (path, method, body) =>
      at(aggregator!, `/admin${path}`, {
        method,
        headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    async store(body, query = '') {
      const answer = await session.publisher(`/v1/blobs${query}`, { method: 'PUT', body });
      expectAnswer(answer, { status: 200, headers: { 'content-type': 'application/json' } });
      return jsonOf<StoreResponse>(answer);
    },
    async create(body, query) {
      const response = await session.store(body, query);
      if (response.newlyCreated === undefined)
        throw new Error(`not newly created: ${JSON.stringify(response)}`);
      return response.newlyCreated;
    },
    blob() {
      blob ??= createBlob(session);
      return blob;
    },
  };
  return session;
}

async function createBlob(session: Session): Promise<StoredBlob> {
  const bytes = randomBytes(1000);
  const { blobObject } = await session.create(bytes);
  return { blobId: blobObject.blobId, objectId: blobObject.id, bytes };
}
