/** What the command's exit code means to a program that calls it. */
export const exitCodes = {
  ok: 0,
  /** It ran and did not succeed */
  failed: 1,
  /** It was called wrongly, or something it needs is set wrongly */
  usage: 2,
  /** The relayer cannot be reached, or has trouble that passes */
  unavailable: 3,
  /** The credentials are missing or refused */
  denied: 4,
} as const;

/** Ends the command with a message for a person and a code for a program. */
export class ExitError extends Error {
  override name = 'ExitError';
  readonly exitCode: number;
  constructor(exitCode: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
