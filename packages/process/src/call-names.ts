import type { OutgoingCall } from './outgoing-calls.ts';

/** What is at an address, and how its operations are named. */
export interface KnownService {
  dependency: string;
  /** Base URL: only calls to its origin, below its path */
  url: string;
  operationOf(method: string, path: string): string;
}

/** Names calls to these services; the first one whose address fits. Undefined for calls to other addresses. */
export function callNames(services: readonly KnownService[]) {
  const known = services.map(({ url, ...service }) => {
    const { origin, pathname } = new URL(url);
    return { ...service, origin, prefix: pathname.endsWith('/') ? pathname : `${pathname}/` };
  });
  return (origin: string, method: string, path: string): OutgoingCall | undefined => {
    const route = path.split('?', 1)[0]!;
    const service = known.find((each) => each.origin === origin && `${route}/`.startsWith(each.prefix));
    return service && { dependency: service.dependency, operation: service.operationOf(method, route) };
  };
}

/** The method of a gRPC call, such as `GetObject`: its clients know only those of the protocol. */
export function grpcMethod(_method: string, path: string): string {
  return /\/[\w.]+\/([A-Z][A-Za-z]{1,40})$/.exec(path)?.[1] ?? 'other';
}

/** Operations of a blob store (publisher, aggregator, upload relay). */
export function storeOperation(method: string, path: string): string {
  if (method !== 'GET') return 'store';
  if (path.endsWith('/patches')) return 'patches';
  return path.includes('/v1/blobs/') ? 'read' : 'status';
}
