import { type CallOutcome, observeOutgoingCalls } from '@memrelay/process/outgoing-calls';

/** A call of a worker thread to a key server. */
export interface KeyServerCall {
  operation: string;
  outcome: CallOutcome;
  seconds: number;
}

/** Within this process */
const channelName = 'memrelay:key-server-calls';
const operations: ReadonlySet<string> = new Set(['fetch_key', 'service']);

/** In a worker thread, which calls nothing but key servers: reports its calls to the main thread. */
export function reportKeyServerCalls(): void {
  const channel = new BroadcastChannel(channelName);
  channel.unref();
  observeOutgoingCalls({
    nameOf(_origin, _method, path) {
      const last = path.split('?', 1)[0]!.split('/').at(-1)!;
      return { dependency: 'key_server', operation: operations.has(last) ? last : 'other' };
    },
    begin:
      ({ operation }) =>
      (outcome, seconds) =>
        channel.postMessage({ operation, outcome, seconds } satisfies KeyServerCall),
  });
}

/** In the main thread: receives the calls of all worker threads. Returns the function that ends it. */
export function onKeyServerCall(listener: (call: KeyServerCall) => void): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.unref();
  channel.onmessage = (event) => listener((event as { data: KeyServerCall }).data);
  return () => channel.close();
}
