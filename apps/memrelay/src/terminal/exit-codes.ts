/** Exit codes of the command, for programs that call it. */
export const exitCodes = {
  ok: 0,
  /** It ran but did not succeed */
  failed: 1,
  /** Invalid arguments, or a required setting is invalid */
  usage: 2,
  /** The relayer is unreachable or temporarily unavailable */
  unavailable: 3,
  /** The credentials are missing or refused */
  denied: 4,
  /** Ended by Ctrl-C or a signal, by the convention of shells */
  interrupted: 130,
} as const;

/** For `--help`. */
export const exitCodesHelp = `Exit codes:
  0    it worked
  1    it ran and did not succeed
  2    called wrongly, or something it needs is set wrongly
  3    the relayer cannot be reached, or has trouble that passes: try again later
  4    the credentials are missing or refused
  130  interrupted by Ctrl-C or a signal`;

/** Ends the command with a message for a person, and a code and exit code for a program. */
export class ExitError extends Error {
  override name = 'ExitError';
  readonly exitCode: number;
  /** Stable word for programs: an error code of the SDK, or the name of the exit code */
  readonly code: string;
  constructor(exitCode: number, message: string, options: ErrorOptions & { code?: string } = {}) {
    super(message, options);
    this.exitCode = exitCode;
    this.code = options.code ?? nameOf(exitCode);
  }
}

function nameOf(exitCode: number): string {
  return Object.entries(exitCodes).find(([, value]) => value === exitCode)?.[0] ?? 'failed';
}
