import type { ServerContext } from '@modelcontextprotocol/server';

/** Hosts give up after about 60 s in which they hear nothing. */
const heartbeatMs = 5_000;

export interface CallProgress {
  report: (message: string) => void;
  stop: () => void;
}

/**
 * Progress notifications of one call, for a caller that has asked for them: a count that only grows, and words. The last
 * words are repeated while the work goes on, so that a host does not take a slow model for a dead server. `stop` it when
 * the call ends.
 */
export function startProgress({ mcpReq }: ServerContext): CallProgress {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { report: () => {}, stop: () => {} };
  let progress = 0;
  let message = '';
  const send = (): void => {
    if (mcpReq.signal.aborted || message === '') return;
    const params = { progressToken, progress: ++progress, message };
    // A caller that is gone ends the call by its signal; there is nobody left to tell.
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
