/** An error that callers tell apart by its stable `code`, never by its message. The base of our error classes that have one. */
export abstract class CodedError<Code extends string = string> extends Error {
  /** Stable; branch on this, never on the message */
  readonly code: Code;

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
