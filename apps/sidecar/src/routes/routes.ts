import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { sealIdentity } from '@memrelay/envelope/identity';
import { wrapType } from '@memrelay/envelope/wraps';
import { supervisedVariable } from '@memrelay/process/supervised';
import { canonicalAddressPattern } from '@memrelay/protocol/address';
import { fromHex } from '@memrelay/protocol/bytes';
import { ApiError } from '@memrelay/protocol/errors';
import { decodeFrame, encodeFrame } from '@memrelay/protocol/framing';
import { headers } from '@memrelay/protocol/headers';
import { issueWords } from '@memrelay/protocol/issue-words';
import { type ExportKeysResponse, exportKeysRequest } from '@memrelay/protocol/key-exports';
import { networkDefaults } from '@memrelay/protocol/networks';
import { type OwnedBlobsResponse, ownedBlobsRequest } from '@memrelay/protocol/owned-blobs';
import {
  beginUploadRequest,
  type DelegateKeyResponse,
  delegateKeyRequest,
  dropSessionsRequest,
  type KeyServersResponse,
  type MakeKeyResponse,
  makeKeyRequest,
  openRequestHead,
  pruneRequest,
  quiltUploadHead,
  type Reader,
  type RewrapKeysResponse,
  rewrapKeysRequest,
  type SidecarHealth,
  type StoreInfo,
  type StoreObjectsResponse,
  storeObjectsRequest,
  type WalletsResponse,
} from '@memrelay/protocol/sidecar-api';
import { sidecarTokenProof } from '@memrelay/protocol/sidecar-token-node';
import { sponsorExecuteRequest, sponsorRequest } from '@memrelay/protocol/sponsor';
import type { StoreTariff } from '@memrelay/protocol/store-tariff';
import { relayerVersion } from '@memrelay/protocol/versions';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { newDelegateKey } from '../accounts/new-delegate-key.ts';
import { splitPayload } from '../base/split-payload.ts';
import { openBatch } from '../open/open-batch.ts';
import type { DecryptSession } from '../seal/decrypt-session.ts';
import { describeServerSets } from '../seal/describe-server-sets.ts';
import { exportKeys, rewrapKeys } from '../seal/open-keys.ts';
import { wrapKey } from '../seal/wrap-key.ts';
import { createAwaitedStarts } from '../store/awaited-starts.ts';
import type { QuiltFile } from '../store/quilt-encoding.ts';
import type { Upload } from '../store/upload.ts';
import type { SidecarContext } from './context.ts';

export function healthRoute(app: FastifyInstance, token: string): void {
  const health: SidecarHealth = {
    status: 'ok',
    version: relayerVersion,
    instance: randomUUID(),
    supervised: process.env[supervisedVariable] !== undefined,
    token_proof: sidecarTokenProof(token),
  };
  app.get('/health', async () => health);
}

export function keyRoutes(app: FastifyInstance, context: SidecarContext): void {
  app.get(
    '/key-servers',
    (): Promise<KeyServersResponse> => describeServerSets(context.directory, context.sets, context.log),
  );

  app.post('/keys/rewrap', async (request): Promise<RewrapKeysResponse> => {
    const body = parse(rewrapKeysRequest, request.body);
    const keys = await rewrapKeys(context, await sessionOf(context, request, body), body);
    return { server_set: context.sets.current.id, keys };
  });

  app.post('/keys/export', async (request): Promise<ExportKeysResponse> => {
    const body = parse(exportKeysRequest, request.body);
    return { keys: await exportKeys(context, await sessionOf(context, request, body), body) };
  });

  app.post('/keys', async (request): Promise<MakeKeyResponse> => {
    const { origin, tag, key_epoch, recovery_pk } = parse(makeKeyRequest, request.body);
    const identity = sealIdentity(fromHex(origin), fromHex(tag), BigInt(key_epoch));
    const wrapped = await wrapKey(identity, context, {
      recoveryPk: recovery_pk === undefined ? undefined : fromHex(recovery_pk),
    });
    return {
      recipient_pk: Buffer.from(wrapped.recipientPk).toString('hex'),
      wraps: [
        { type: wrapType.seal, bytes: Buffer.from(wrapped.wrap).toString('base64') },
        ...(wrapped.recoveryWrap
          ? [{ type: wrapType.recovery, bytes: Buffer.from(wrapped.recoveryWrap).toString('base64') }]
          : []),
      ],
      server_set: wrapped.serverSet,
    };
  });
}

/** Routes that concern an account's state on chain. */
export function accountRoutes(app: FastifyInstance, context: SidecarContext): void {
  app.post('/sessions/drop', async (request) => {
    const { account_id } = parse(dropSessionsRequest, request.body);
    context.unwrapper.dropAccount(account_id);
    context.tools.dropAccount(account_id);
    return {};
  });

  app.post('/accounts/delegate-key', async (request): Promise<DelegateKeyResponse> => {
    const { account_id } = parse(delegateKeyRequest, request.body);
    return newDelegateKey(account_id);
  });

  app.post('/accounts/prune', async (request) => {
    const { account_id, wallet } = parse(pruneRequest, request.body);
    return { pruned: await context.pruner.prune(account_id, wallet) };
  });
}

export function envelopeRoutes(app: FastifyInstance, context: SidecarContext): void {
  app.post('/envelopes/open', async (request, reply) => {
    const frame = decodeFrame(request.body as Buffer);
    const head = parse(openRequestHead, frame.head);
    const session = await sessionOf(context, request, head);
    const { items, texts } = await openBatch(context, session, head, frame.payload);
    return reply.type('application/octet-stream').send(encodeFrame({ items }, texts));
  });
}

/** A session from the first credential present (decisions.md, "Authentication"). The server key serves only its own accounts. */
async function sessionOf(
  context: SidecarContext,
  request: FastifyRequest,
  reader: Reader,
): Promise<DecryptSession> {
  const encSession = request.headers[headers.encSession];
  if (typeof encSession === 'string')
    return context.sessions.fromHeader(encSession, {
      signerAddress: reader.signer.address,
      ownerAddress: reader.account.owner,
    });
  const delegateKey = request.headers[headers.delegateKey];
  if (typeof delegateKey === 'string')
    return context.sessionMaker.fromPrivateKey(delegateKey, reader.signer.public_key);
  if (reader.server_key_allowed && context.config.serverKey)
    return context.sessionMaker.fromPrivateKey(context.config.serverKey);
  throw new ApiError('decrypt_credential_required');
}

const uploadQuery = z.object({
  owner: z.string().regex(canonicalAddressPattern),
  epochs: z.coerce.number().int().min(1).max(53).optional(),
  wallet: z.string().optional(),
  job_id: z.string(),
  resume: z.stringbool().default(false),
  min_end_epoch: z.coerce.number().int().optional(),
  quilt: z.stringbool().default(false),
});

const walletsQuery = z.object({ epochs: z.coerce.number().int().min(1).max(53) });

export function storeRoutes(app: FastifyInstance, context: SidecarContext): void {
  const starts = createAwaitedStarts();
  app.post('/store/upload', async (request, reply) => {
    const query = parse(uploadQuery, request.query);
    const { owner, epochs, wallet, job_id, resume, min_end_epoch } = query;
    const body = request.body as Buffer;
    const upload: Upload = {
      owner,
      epochs: epochs ?? networkDefaults[context.config.network].storeEpochs,
      wallet,
      jobId: job_id,
      resume,
      minEndEpoch: min_end_epoch,
    };
    const checkpoints = query.quilt
      ? context.uploads.uploadQuilt(quiltFiles(body), upload)
      : context.uploads.upload(body, upload);
    return reply.type('application/x-ndjson').send(Readable.from(lines(starts.held(checkpoints))));
  });
  app.post('/store/upload/begin', async (request) => ({
    begun: starts.begin(parse(beginUploadRequest, request.body).token),
  }));
  app.get('/store/epoch', async () => ({ epoch: await context.storeEpoch() }));
  app.get('/store/tariff', async (): Promise<StoreTariff> => context.storeTariff());
  app.post(
    '/store/objects',
    async (request): Promise<StoreObjectsResponse> =>
      context.storeObjects(parse(storeObjectsRequest, request.body)),
  );
  app.post(
    '/store/owned',
    async (request): Promise<OwnedBlobsResponse> =>
      context.ownedBlobs(parse(ownedBlobsRequest, request.body)),
  );
  app.get('/store', async (): Promise<StoreInfo> => context.uploads.info);
  app.get('/wallets', async (request): Promise<WalletsResponse> => {
    const { epochs } = parse(walletsQuery, request.query);
    return { wallets: await context.walletFunds(epochs) };
  });
}

export function sponsorRoutes(app: FastifyInstance, { sponsoring }: SidecarContext): void {
  app.post('/sponsor', async (request) => sponsoring.sponsor(parse(sponsorRequest, request.body)));
  app.post('/sponsor/execute', async (request) =>
    sponsoring.execute(parse(sponsorExecuteRequest, request.body)),
  );
}

/** The files of a frame, as views of it. */
function quiltFiles(body: Buffer): QuiltFile[] {
  const frame = decodeFrame(body);
  const { files } = parse(quiltUploadHead, frame.head);
  const contents = splitPayload(
    frame.payload,
    files.map(({ size }) => size),
  );
  return files.map(({ identifier }, i) => ({ identifier, contents: contents[i]! }));
}

async function* lines(values: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const value of values) yield `${JSON.stringify(value)}\n`;
}

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const result = schema.safeParse(value, { error: issueWords });
  if (result.success) return result.data;
  const issues = result.error.issues.map(({ path, message }) => ({
    path: path.map(String).join('.'),
    message,
  }));
  throw new ApiError('invalid_request', { details: { issues } });
}
