import type { ServerContext } from '@modelcontextprotocol/server';

/** Interval of progress messages. Hosts give up after about 60 s without one. */
const heartbeatMs = 5_000;

export interface CallProgress {
  report: (message: string) => void;
  stop: () => void;
}

/**
 * Progress notifications of one call, if the caller requested them: an increasing count and a message. The last message is
 * repeated while the work continues, so that a host does not mistake a slow model for a dead server. Call `stop` when the
 * call ends.
 */
export function startProgress({ mcpReq }: ServerContext): CallProgress {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { report: () => {}, stop: () => {} };
  let progress = 0;
  let message = '';
  const send = (): void => {
    if (mcpReq.signal.aborted || message === '') return;
    const params = { progressToken, progress: ++progress, message };
    // A caller that disconnected ends the call through its signal, so a failed notification needs no handling.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
  const timer = setInterval(send, heartbeatMs);
  timer.unref();
  return {
    report(next) {
      message = next;
      send();
    },
    stop: () => clearInterval(timer),
  };
}
