import type { MemRelay } from '@memrelay/sdk/mem-relay';

/** What a host (stdio package, HTTP tool server) gives the tools of one session. */
export interface ToolServerOptions {
  /**
   * The client whose key signs a call, asked anew for each one. Throws a `ToolRefusal` with words for the agent when there
   * is none, for example because nobody has signed in yet.
   */
  client: () => MemRelay | Promise<MemRelay>;
  /** Namespace of calls that name none; without it the relayer applies `default` */
  namespace?: string | (() => string | undefined) | undefined;
  /** Also `mem_ask`, `mem_forget`, `mem_list`, `mem_status` (decisions.md, "Tools") */
  extraTools?: boolean | undefined;
  /** A sentence for refused credentials: how to sign in anew with this host, e.g. by calling `mem_login` */
  signIn?: string | undefined;
  /** Told by `mem_status` */
  relayerUrl?: string | (() => string | undefined) | undefined;
  /** How long a write waits for its memory to be stored before it answers "still being saved"; default 15,000 ms */
  waitMs?: number | undefined;
  /** After each call, for logs and metrics; without texts */
  onCall?: ((call: FinishedCall) => void) | undefined;
}

export interface FinishedCall {
  tool: string;
  durationMs: number;
  /** `failed`: an error of the SDK or relayer. `broken`: one that nobody expected, in `error` */
  outcome: 'ok' | 'refused' | 'failed' | 'cancelled' | 'broken';
  /** Of a refusal or failure: the code of the error catalogue, the SDK or the tools */
  code?: string;
  error?: unknown;
}

/** The present value of an option that may change; blank counts as none. */
export function presentValue(option: string | (() => string | undefined) | undefined): string | undefined {
  const value = typeof option === 'function' ? option() : option;
  return value?.trim() ? value : undefined;
}
