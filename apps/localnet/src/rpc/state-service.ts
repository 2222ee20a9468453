import { GrpcTypes } from '@mysten/sui/grpc';
import { normalizeStructTag } from '@mysten/sui/utils';
import type { Chain } from '../chain/chain.ts';
import { coinBalance } from '../execution/coin.ts';
import { grpcStatus, RequestRefused } from '../execution/failure.ts';
import { coinOf, coinTypeOf, matchesType, normalizeType, suiType } from '../execution/type-tags.ts';
import type { ChainObject } from '../execution/types.ts';
import { describeField } from '../proto/dynamic-field.ts';
import { objectToProto } from '../proto/object-to-proto.ts';
import { ReadMask } from '../proto/read-mask.ts';
import { pageSize, requireAddress } from './addresses.ts';
import { type ServiceHandlers, unary } from './handlers.ts';

const anyCoin = coinOf('').slice(0, -1);

/** `sui.rpc.v2.StateService`. `walType` is the only coin other than SUI. */
export function stateService(chain: Chain, walType: string): ServiceHandlers {
  return {
    ListOwnedObjects: unary((request: GrpcTypes.ListOwnedObjectsRequest) => listOwnedObjects(chain, request)),
    ListDynamicFields: unary((request: GrpcTypes.ListDynamicFieldsRequest) =>
      listDynamicFields(chain, request),
    ),
    GetBalance: unary((request: GrpcTypes.GetBalanceRequest) => {
      const owner = requireAddress(request.owner, 'owner');
      const coinType = requireCoinType(request.coinType);
      const coins = coinsOf(chain, owner, coinOf(coinType));
      return { balance: balanceToProto(coinType, sum(coins)) };
    }),
    ListBalances: unary((request: GrpcTypes.ListBalancesRequest) => {
      const byType = Map.groupBy(
        coinsOf(chain, requireAddress(request.owner, 'owner'), anyCoin),
        ({ type }) => type,
      );
      return {
        balances: [...byType].map(([type, coins]) => balanceToProto(coinTypeOf(type)!, sum(coins))),
      };
    }),
    GetCoinInfo: unary((request: GrpcTypes.GetCoinInfoRequest): GrpcTypes.GetCoinInfoResponse => {
      const coinType = requireCoinType(request.coinType);
      if (coinType === suiType) return coinInfo(coinType, 'SUI', 'Sui');
      if (coinType === walType) return coinInfo(coinType, 'WAL', 'WAL Token');
      throw new RequestRefused(grpcStatus.notFound, `Coin type ${coinType} not found`);
    }),
  };
}

function listOwnedObjects(
  chain: Chain,
  request: GrpcTypes.ListOwnedObjectsRequest,
): GrpcTypes.ListOwnedObjectsResponse {
  const owner = requireAddress(request.owner, 'owner');
  const wanted = request.objectType ? requireStructType(request.objectType) : '';
  const limit = pageSize(request.pageSize);
  const mask = new ReadMask(request.readMask, ['object_id', 'version', 'object_type']);
  const found: ChainObject[] = [];
  let place = decodePlace(request.pageToken);
  for (;;) {
    const rows = chain.store.ownedBy(owner, wanted, place, limit + 1);
    for (const row of rows) if (!wanted || matchesType(row.type, wanted)) found.push(row);
    const last = rows.at(-1);
    if (rows.length <= limit || !last || found.length > limit) break;
    place = [last.type, last.id];
  }
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return GrpcTypes.ListOwnedObjectsResponse.create({
    objects: page.map((object) =>
      mask.apply(objectToProto(object, chain.modules, (path) => mask.wants(path))),
    ),
    ...(found.length > limit && last && { nextPageToken: Buffer.from(`${last.type}\n${last.id}`) }),
  });
}

function decodePlace(token: Uint8Array | undefined): [string, string] {
  if (!token || token.length === 0) return ['', ''];
  const [type, id] = Buffer.from(token).toString().split('\n');
  if (!type || !id)
    throw new RequestRefused(grpcStatus.invalidArgument, 'page_token does not belong to this list');
  return [type, id];
}

function listDynamicFields(chain: Chain, request: GrpcTypes.ListDynamicFieldsRequest) {
  const parent = requireAddress(request.parent, 'parent');
  const limit = pageSize(request.pageSize);
  const after = request.pageToken ? Buffer.from(request.pageToken).toString() : '';
  const mask = new ReadMask(request.readMask, ['parent', 'field_id']);
  // The Walrus state is a dynamic field that changes with the epoch, so the epoch is updated first.
  chain.moment();
  const rows = chain.store.fieldsOf(parent, after, limit + 1);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return GrpcTypes.ListDynamicFieldsResponse.create({
    dynamicFields: page.map((field) => {
      const { nameType, name, valueType, value } = describeField(parent, field);
      return mask.apply(
        GrpcTypes.DynamicField.create({
          kind: GrpcTypes.DynamicField_DynamicFieldKind.FIELD,
          parent,
          fieldId: field.id,
          name: { name: nameType, value: name },
          valueType,
          value: { name: valueType, value },
          fieldObject: objectToProto(field, chain.modules, (path) => mask.wants(`field_object.${path}`)),
        }),
      );
    }),
    ...(rows.length > limit && last && { nextPageToken: Buffer.from(last.id) }),
  });
}

function coinsOf(chain: Chain, owner: string, type: string): ChainObject[] {
  return chain.store.ownedBy(owner, type, ['', ''], -1).filter((coin) => coinTypeOf(coin.type) !== undefined);
}

function sum(coins: readonly ChainObject[]): bigint {
  return coins.reduce((total, coin) => total + coinBalance(coin), 0n);
}

/** All balances consist of coins, because the localnet has no address balances. */
function balanceToProto(coinType: string, balance: bigint): GrpcTypes.Balance {
  return { coinType, balance, coinBalance: balance, addressBalance: 0n };
}

function coinInfo(coinType: string, symbol: string, name: string): GrpcTypes.GetCoinInfoResponse {
  return {
    coinType,
    metadata: { decimals: 9, name, symbol, description: `${name} of a localnet, without any value` },
  };
}

function requireCoinType(coinType: string | undefined): string {
  return coinType ? requireStructType(coinType) : suiType;
}

function requireStructType(type: string): string {
  try {
    return normalizeType(normalizeStructTag(type));
  } catch {
    throw new RequestRefused(grpcStatus.invalidArgument, `${type} is not a type`);
  }
}
