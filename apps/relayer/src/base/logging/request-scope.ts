import { AsyncLocalStorage } from 'node:async_hooks';

interface Scope {
  /** Undefined once the request was answered: anything that continues, such as an opened connection, is not part of it */
  requestId: string | undefined;
}

const scopes = new AsyncLocalStorage<Scope>();

/** Runs `work`, and all that it starts, as part of a request. Returns the function that ends the request. */
export function runInRequest(requestId: string, work: () => void): () => void {
  const scope: Scope = { requestId };
  scopes.run(scope, work);
  return () => {
    scope.requestId = undefined;
  };
}

/** The id of the request that the running code is part of. */
export function currentRequestId(): string | undefined {
  return scopes.getStore()?.requestId;
}

/** Binds `work` to no request at all, for loops that a request only wakes. */
export function outsideRequests(work: () => void): () => void {
  return () => scopes.exit(work);
}
