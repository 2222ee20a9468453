import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** What is called and for what: both from short lists, so that they can be labels of a metric. */
export interface OutgoingCall {
  dependency: string;
  operation: string;
}

/**
 * `refused`: a status from 400 to 499. `error`: a higher one, or no complete response. `aborted`: the caller did not wait
 * for it, or did not need the rest.
 */
export type CallOutcome = 'ok' | 'refused' | 'error' | 'aborted';

export interface CallObserver {
  /** Undefined for calls that are not observed. `path` includes the query. */
  nameOf(origin: string, method: string, path: string): OutgoingCall | undefined;
  /**
   * Called in the caller's context before the request is sent, with a function that adds a header to it. Returns what is
   * called when the last byte has arrived, or none will.
   */
  begin(
    call: OutgoingCall,
    addHeader: (name: string, value: string) => void,
  ): (outcome: CallOutcome, seconds: number) => void;
}

/** The parts of undici's request that its documentation describes. */
interface ObservedRequest {
  origin: string | URL;
  method: string;
  path: string;
  addHeader(name: string, value: string): unknown;
}

interface Running {
  startedMs: number;
  status: number | undefined;
  end: ReturnType<CallObserver['begin']>;
}

/**
 * Observes the HTTP calls of this thread, through `fetch` and undici, without any change to the code that makes them: both
 * publish them on diagnostics channels. Costs nothing while no one observes. Returns the function that ends it.
 */
export function observeOutgoingCalls(observer: CallObserver): () => void {
  const running = new WeakMap<object, Running>();

  const onCreate = (message: unknown): void => {
    const { request } = message as { request: ObservedRequest };
    const call = observer.nameOf(String(request.origin), request.method, request.path);
    if (!call) return;
    const end = observer.begin(call, (name, value) => void request.addHeader(name, value));
    running.set(request, { startedMs: performance.now(), status: undefined, end });
  };
  const onHeaders = (message: unknown): void => {
    const { request, response } = message as { request: object; response: { statusCode: number } };
    const call = running.get(request);
    if (call) call.status = response.statusCode;
  };
  const finish = (request: object, outcomeOf: (status: number | undefined) => CallOutcome): void => {
    const call = running.get(request);
    if (!call) return;
    running.delete(request);
    call.end(outcomeOf(call.status), (performance.now() - call.startedMs) / 1000);
  };
  const onTrailers = (message: unknown): void =>
    finish((message as { request: object }).request, (status = 0) =>
      status < 400 ? 'ok' : status < 500 ? 'refused' : 'error',
    );
  const onError = (message: unknown): void => {
    const { request, error } = message as { request: object; error: unknown };
    finish(request, () => (isAbort(error) ? 'aborted' : 'error'));
  };

  const channels = [
    ['undici:request:create', onCreate],
    ['undici:request:headers', onHeaders],
    ['undici:request:trailers', onTrailers],
    ['undici:request:error', onError],
  ] as const;
  for (const [name, listener] of channels) subscribe(name, listener);
  return () => {
    for (const [name, listener] of channels) unsubscribe(name, listener);
  };
}

/** A signal may have any reason: a timeout is an error, everything else means that the caller went away. */
function isAbort(error: unknown): boolean {
  const { name, code } = (error ?? {}) as { name?: string; code?: string };
  return name === 'AbortError' || code === 'UND_ERR_ABORTED';
}
