/**
 * A call that cannot be served, with a message for the agent: what is missing and what to do. Hosts throw it from `client()`
 * (no one is signed in, the credential file is unusable). It becomes an `isError` result, never a protocol error.
 */
export class ToolRefusal extends Error {
  override name = 'ToolRefusal';
  /** Stable, for logs */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
