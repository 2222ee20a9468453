import type { MemRelay } from '@memrelay/sdk/mem-relay';

/** What a host (stdio package, HTTP tool server) provides to the tools of one session. */
export interface ToolServerOptions {
  /**
   * Returns the client whose key signs a call; called for each call. Throws a `ToolRefusal` with a message for the agent if
   * there is none, for example because no one has signed in yet.
   */
  client: () => MemRelay | Promise<MemRelay>;
  /** Default namespace of calls; without it the relayer uses `default` */
  namespace?: string | (() => string | undefined) | undefined;
  /** Also `mem_ask`, `mem_forget`, `mem_list`, `mem_status` (decisions.md, "Tools") */
  extraTools?: boolean | undefined;
  /** A sentence for refused credentials: how to sign in again with this host, e.g. by calling `mem_login` */
  signIn?: string | undefined;
  /** Shown by `mem_status` */
  relayerUrl?: string | (() => string | undefined) | undefined;
  /** How long a write waits for its memory to be stored before it answers "still being saved"; default 15,000 ms */
  waitMs?: number | undefined;
  /** After each call, for logs and metrics; without texts */
  onCall?: ((call: FinishedCall) => void) | undefined;
}

export interface FinishedCall {
  tool: string;
  durationMs: number;
  /** `failed`: an error of the SDK or relayer. `broken`: an unexpected error, in `error` */
  outcome: 'ok' | 'refused' | 'failed' | 'cancelled' | 'broken';
  /** For a refusal or failure: a code of the error catalogue, the SDK or the tools */
  code?: string;
  error?: unknown;
}

/** The current value of an option that may change; blank counts as unset. */
export function presentValue(option: string | (() => string | undefined) | undefined): string | undefined {
  const value = typeof option === 'function' ? option() : option;
  return value?.trim() ? value : undefined;
}
