/** Base of our errors with a stable `code`, by which callers distinguish them. They must not use the message for that. */
export abstract class CodedError<Code extends string = string> extends Error {
  /** Stable; branch on this, never on the message */
  readonly code: Code;

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
