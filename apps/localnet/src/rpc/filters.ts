import { normalizeAddress } from '@memrelay/protocol/address';
import type { GrpcTypes } from '@mysten/sui/grpc';
import { normalizeStructTag } from '@mysten/sui/utils';
import { grpcStatus, RequestRefused } from '../execution/failure.ts';
import type { StoredTransaction } from '../execution/store.ts';
import { matchesType } from '../execution/type-tags.ts';
import type { ChainEvent } from '../execution/types.ts';

/**
 * Whether an event matches a filter, that is, all literals of at least one term. Without a filter everything
 * matches.
 */
export function matchesEvent(filter: GrpcTypes.EventFilter | undefined, event: ChainEvent): boolean {
  if (!filter || filter.terms.length === 0) return true;
  return filter.terms.some(({ literals }) =>
    literals.every(({ negated, predicate }) => matchesEventPredicate(predicate, event) !== negated),
  );
}

function matchesEventPredicate(predicate: GrpcTypes.EventLiteral['predicate'], event: ChainEvent): boolean {
  switch (predicate.oneofKind) {
    case 'sender':
      return event.sender === normalizeAddress(predicate.sender.address ?? '');
    case 'emitModule':
      return isPathPrefix(predicate.emitModule.module ?? '', `${event.packageId}::${event.module}`);
    case 'eventType': {
      const wanted = predicate.eventType.eventType ?? '';
      if (wanted.split('::').length >= 3) return matchesType(event.type, structType(wanted));
      return isPathPrefix(wanted, event.type);
    }
    default:
      throw unsupported(predicate.oneofKind);
  }
}

function structType(type: string): string {
  try {
    return normalizeStructTag(type);
  } catch {
    throw new RequestRefused(grpcStatus.invalidArgument, 'event_type is not a type');
  }
}

/**
 * The module, `0x…::name`, to which the types of all events that match the filter belong; undefined unless there is
 * exactly one.
 */
export function typeModuleOf(filter: GrpcTypes.EventFilter | undefined): string | undefined {
  const [term, ...others] = filter?.terms ?? [];
  if (!term || others.length > 0) return undefined;
  for (const { negated, predicate } of term.literals) {
    if (negated || predicate.oneofKind !== 'eventType') continue;
    const [packageId, module] = (predicate.eventType.eventType ?? '').split('::');
    if (packageId && module) return `${normalizeAddress(packageId)}::${module}`;
  }
  return undefined;
}

/** Whether a transaction matches a filter. */
export function matchesTransaction(
  filter: GrpcTypes.TransactionFilter | undefined,
  transaction: StoredTransaction,
): boolean {
  if (!filter || filter.terms.length === 0) return true;
  return filter.terms.some(({ literals }) =>
    literals.every(
      ({ negated, predicate }) => matchesTransactionPredicate(predicate, transaction) !== negated,
    ),
  );
}

function matchesTransactionPredicate(
  predicate: GrpcTypes.TransactionLiteral['predicate'],
  transaction: StoredTransaction,
): boolean {
  switch (predicate.oneofKind) {
    case 'sender':
      return transaction.sender === normalizeAddress(predicate.sender.address ?? '');
    case 'moveCall': {
      const wanted = predicate.moveCall.function ?? '';
      return transaction.calls.some((call) => isPathPrefix(wanted, call));
    }
    default:
      throw unsupported(predicate.oneofKind);
  }
}

/** Whether `path` is the `package[::module[::name]]` path or below it. */
function isPathPrefix(wanted: string, path: string): boolean {
  const [packageId, ...rest] = wanted.split('::');
  const normalized = [normalizeAddress(packageId ?? ''), ...rest].join('::');
  return path === normalized || path.startsWith(`${normalized}::`);
}

function unsupported(kind: string | undefined): RequestRefused {
  return new RequestRefused(grpcStatus.unimplemented, `the localnet cannot filter by ${kind ?? 'nothing'}`);
}
