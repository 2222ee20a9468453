import { AsyncLocalStorage } from 'node:async_hooks';

interface Scope {
  /** Empty once the request was answered: anything that continues, such as an opened connection, is not part of it */
  request: { id?: string };
  /** The span that the running code is part of (tracing.ts), as a `traceparent` */
  span?: string;
}

const scopes = new AsyncLocalStorage<Scope>();

/** Runs `work`, and all that it starts, as part of a request. Returns the function that ends the request. */
export function runInRequest(requestId: string, work: () => void): () => void {
  const scope: Scope = { request: { id: requestId } };
  scopes.run(scope, work);
  return () => {
    delete scope.request.id;
  };
}

/** The id of the request that the running code is part of. */
export function currentRequestId(): string | undefined {
  return scopes.getStore()?.request.id;
}

/** Runs `work`, and all that it starts, in a span; it stays part of its request. */
export function runInSpan<T>(span: string, work: () => T): T {
  return scopes.run({ request: scopes.getStore()?.request ?? {}, span }, work);
}

/** The span that the running code is part of. */
export function currentSpan(): string | undefined {
  return scopes.getStore()?.span;
}

/** Binds `work` to no request and no span at all, for loops that a request only wakes. */
export function outsideRequests(work: () => void): () => void {
  return () => scopes.exit(work);
}
