import { normalizeAddress } from '@memrelay/protocol/address';
import type { Chain } from '../chain/chain.ts';
import { packageType } from '../execution/type-tags.ts';
import type { ChainObject, Owner } from '../execution/types.ts';
import { isAddress } from './addresses.ts';

/** Maximum number of ids in `sui_multiGetObjects`, and of requests in a batch, as in Sui's full nodes. */
const maxObjects = 50;
const maxBatch = 50;

const invalidRequest = -32600;
const methodNotFound = -32601;
const invalidParams = -32602;
const parseError = -32700;

interface Options {
  showType?: boolean;
  showOwner?: boolean;
  showContent?: boolean;
  showBcs?: boolean;
  showPreviousTransaction?: boolean;
  showStorageRebate?: boolean;
}

/**
 * Handles the two calls of Sui's retired JSON-RPC that older clients use. Takes a parsed request or batch and
 * returns the response.
 */
export function answerJsonRpc(chain: Chain, request: unknown): object {
  if (!Array.isArray(request)) return answerOne(chain, request);
  if (request.length < 1 || request.length > maxBatch)
    return failure(null, invalidRequest, `Invalid request: a batch has 1 to ${maxBatch} requests`);
  return request.map((one) => answerOne(chain, one));
}

/** The response to a body that is not JSON. */
export function jsonRpcParseError(): object {
  return failure(null, parseError, 'Parse error');
}

function answerOne(chain: Chain, request: unknown): object {
  const {
    id = null,
    method,
    params = [],
  } = (request ?? {}) as { id?: unknown; method?: unknown; params?: unknown };
  if (typeof method !== 'string') return failure(id, invalidRequest, 'Invalid request');
  const list = Array.isArray(params) ? params : [];
  if (method === 'sui_getObject') {
    if (!isAddress(list[0])) return failure(id, invalidParams, 'Invalid params: object id');
    return success(id, describeObject(chain, list[0], asOptions(list[1])));
  }
  if (method === 'sui_multiGetObjects') {
    const ids: unknown = list[0];
    if (!Array.isArray(ids) || !ids.every(isAddress))
      return failure(id, invalidParams, 'Invalid params: object ids');
    if (ids.length > maxObjects)
      return failure(id, invalidParams, `at most ${maxObjects} objects per request`);
    return success(
      id,
      ids.map((objectId) => describeObject(chain, objectId, asOptions(list[1]))),
    );
  }
  return failure(id, methodNotFound, `Method not found: ${method}. Use gRPC-web.`);
}

function success(id: unknown, result: unknown): object {
  return { jsonrpc: '2.0', id, result };
}

function failure(id: unknown, code: number, message: string): object {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

function asOptions(value: unknown): Options {
  return (value ?? {}) as Options;
}

function describeObject(chain: Chain, id: string, options: Options): object {
  const objectId = normalizeAddress(id);
  chain.moment();
  const object = chain.store.object(objectId);
  if (!object) return { error: { code: 'notExists', object_id: objectId } };
  return {
    data: {
      objectId,
      version: object.version.toString(),
      digest: object.digest,
      ...(options.showType && { type: object.type }),
      ...(options.showOwner && { owner: ownerToJson(object.owner) }),
      ...(options.showPreviousTransaction && { previousTransaction: object.previousTransaction }),
      ...(options.showStorageRebate && { storageRebate: '0' }),
      ...(options.showContent && { content: contentToJson(chain, object) }),
      ...(options.showBcs && { bcs: bcsToJson(chain, object) }),
    },
  };
}

function ownerToJson(owner: Owner): unknown {
  switch (owner.kind) {
    case 'address':
      return { AddressOwner: owner.address };
    case 'object':
      return { ObjectOwner: owner.parent };
    case 'shared':
      return { Shared: { initial_shared_version: Number(owner.initialVersion) } };
    case 'immutable':
      return 'Immutable';
  }
}

function contentToJson(chain: Chain, object: ChainObject): object {
  if (object.type === packageType) return { dataType: 'package', disassembled: {} };
  const decoded = chain.modules.codec(object.type)?.parse(object.contents) as
    | Record<string, unknown>
    | undefined;
  const fields = Object.entries(decoded ?? {}).map(([name, value]) => [
    name,
    name === 'id' ? { id: value } : fieldToJson(value),
  ]);
  return {
    dataType: 'moveObject',
    type: object.type,
    hasPublicTransfer: chain.modules.hasPublicTransfer(object.type),
    fields: Object.fromEntries(fields),
  };
}

/** Converts Move values to JSON-RPC: integers as text, bytes as numbers, nested structs in `fields`. */
function fieldToJson(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Uint8Array) return [...value];
  if (Array.isArray(value)) return value.map(fieldToJson);
  if (value === null || typeof value !== 'object') return value;
  return {
    fields: Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fieldToJson(inner)])),
  };
}

function bcsToJson(chain: Chain, object: ChainObject): object {
  if (object.type === packageType) {
    const empty = { moduleMap: {}, typeOriginTable: [], linkageTable: {} };
    return { dataType: 'package', id: object.id, version: Number(object.version), ...empty };
  }
  return {
    dataType: 'moveObject',
    type: object.type,
    hasPublicTransfer: chain.modules.hasPublicTransfer(object.type),
    version: Number(object.version),
    bcsBytes: Buffer.from(object.contents).toString('base64'),
  };
}
