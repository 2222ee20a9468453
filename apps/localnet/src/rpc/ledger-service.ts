import { GrpcTypes } from '@mysten/sui/grpc';
import type { Chain } from '../chain/chain.ts';
import { grpcStatus, RequestRefused } from '../execution/failure.ts';
import { referenceGasPrice } from '../execution/gas.ts';
import type { StoredTransaction } from '../execution/store.ts';
import { checkpointToProto } from '../proto/checkpoint-to-proto.ts';
import { objectToProto } from '../proto/object-to-proto.ts';
import { ReadMask } from '../proto/read-mask.ts';
import { timestampToProto } from '../proto/transaction-to-proto.ts';
import { checkBatch, requireAddress } from './addresses.ts';
import { type FieldMask, type ServiceHandlers, unary } from './handlers.ts';
import { listCheckpoints, listEvents, listTransactions } from './history.ts';

const objectDefaults = ['object_id', 'version', 'digest'];

/** `sui.rpc.v2.LedgerService`. */
export function ledgerService(chain: Chain): ServiceHandlers {
  return {
    GetServiceInfo: unary((): GrpcTypes.GetServiceInfoResponse => {
      const { epoch } = chain.moment();
      return {
        chainId: chain.chainIdentifier,
        chain: 'localnet',
        epoch: BigInt(epoch),
        checkpointHeight: BigInt(chain.tip.seq),
        timestamp: timestampToProto(chain.tip.timestampMs),
        lowestAvailableCheckpoint: 0n,
        lowestAvailableCheckpointObjects: BigInt(chain.tip.seq),
        server: 'memrelay-localnet',
      };
    }),
    GetObject: unary(
      (request: GrpcTypes.GetObjectRequest): GrpcTypes.GetObjectResponse => ({
        object: readObject(chain, request, request.readMask),
      }),
    ),
    BatchGetObjects: unary(({ requests, readMask }: GrpcTypes.BatchGetObjectsRequest) => {
      checkBatch(requests);
      return {
        objects: requests.map((request) =>
          settled(
            () => readObject(chain, request, readMask),
            (object) => ({ oneofKind: 'object' as const, object }),
          ),
        ),
      };
    }),
    GetTransaction: unary(({ digest, readMask }: GrpcTypes.GetTransactionRequest) => ({
      transaction: readTransaction(chain, digest, readMask),
    })),
    BatchGetTransactions: unary(({ digests, readMask }: GrpcTypes.BatchGetTransactionsRequest) => {
      checkBatch(digests);
      return {
        transactions: digests.map((digest) =>
          settled(
            () => readTransaction(chain, digest, readMask),
            (transaction) => ({ oneofKind: 'transaction' as const, transaction }),
          ),
        ),
      };
    }),
    GetCheckpoint: unary(({ checkpointId, readMask }: GrpcTypes.GetCheckpointRequest) => ({
      checkpoint: checkpointToProto(chain.store, findCheckpoint(chain, checkpointId), readMask),
    })),
    GetEpoch: unary((request: GrpcTypes.GetEpochRequest) => ({ epoch: epochToProto(chain, request) })),
    ListEvents: listEvents(chain),
    ListTransactions: listTransactions(chain),
    ListCheckpoints: listCheckpoints(chain),
  };
}

/** The result of one item of a batch. An item that fails does not fail the others. */
function settled<Item, Result extends object>(read: () => Item, wrap: (item: Item) => Result) {
  try {
    return { result: wrap(read()) };
  } catch (error) {
    if (!(error instanceof RequestRefused)) throw error;
    return {
      result: {
        oneofKind: 'error' as const,
        error: { code: error.status, message: error.message, details: [] },
      },
    };
  }
}

function readObject(
  chain: Chain,
  request: GrpcTypes.GetObjectRequest,
  readMask: FieldMask,
): GrpcTypes.Object {
  const id = requireAddress(request.objectId, 'object_id');
  chain.moment();
  const object = chain.store.object(id);
  if (!object) throw new RequestRefused(grpcStatus.notFound, `Object ${id} not found`);
  if (request.version !== undefined && request.version !== object.version) {
    throw new RequestRefused(grpcStatus.notFound, `Object ${id} at version ${request.version} is not kept`);
  }
  const mask = new ReadMask(readMask, objectDefaults);
  return mask.apply(objectToProto(object, chain.modules, (path) => mask.wants(path)));
}

function readTransaction(
  chain: Chain,
  digest: string | undefined,
  readMask: FieldMask,
): GrpcTypes.ExecutedTransaction {
  const stored = chain.store.transaction(digest ?? '');
  if (!stored) throw new RequestRefused(grpcStatus.notFound, `Transaction ${digest} not found`);
  return new ReadMask(readMask, ['digest']).apply(GrpcTypes.ExecutedTransaction.fromBinary(stored.executed));
}

function findCheckpoint(chain: Chain, id: GrpcTypes.GetCheckpointRequest['checkpointId']): StoredTransaction {
  if (id.oneofKind === undefined) return chain.tip;
  const seq =
    id.oneofKind === 'sequenceNumber' ? Number(id.sequenceNumber) : chain.store.checkpointSeq(id.digest);
  const found = seq === undefined ? undefined : chain.store.transactionAt(seq);
  if (!found) throw new RequestRefused(grpcStatus.notFound, 'Checkpoint not found');
  return found;
}

function epochToProto(chain: Chain, request: GrpcTypes.GetEpochRequest): GrpcTypes.Epoch {
  const { epoch, epochStartMs } = chain.moment();
  if (request.epoch !== undefined && request.epoch !== BigInt(epoch)) {
    throw new RequestRefused(
      grpcStatus.notFound,
      `Epoch ${request.epoch} is not kept; the current one is ${epoch}`,
    );
  }
  return new ReadMask(request.readMask, ['epoch']).apply(
    GrpcTypes.Epoch.create({
      epoch: BigInt(epoch),
      start: timestampToProto(epochStartMs),
      referenceGasPrice,
      systemState: {
        version: 2n,
        epoch: BigInt(epoch),
        protocolVersion: 1n,
        referenceGasPrice,
        epochStartTimestampMs: BigInt(epochStartMs),
        safeMode: false,
        parameters: { epochDurationMs: BigInt(chain.epochDurationMs) },
      },
      protocolConfig: { protocolVersion: 1n, featureFlags: {}, attributes: {} },
    }),
  );
}
