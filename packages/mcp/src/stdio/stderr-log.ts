/** Logs lines to stderr, where hosts collect them; stdout belongs to the protocol. Never log secrets or memory text. */
export interface Log {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Only with MEM_MCP_DEBUG=1 */
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export function stderrLog(verbose: boolean, write: (line: string) => void = writeToStderr): Log {
  const line = (level: string, message: string, fields: Readonly<Record<string, unknown>> = {}): void =>
    write(`${JSON.stringify({ time: new Date().toISOString(), level, message, ...fields })}\n`);
  return {
    info: (message, fields) => line('info', message, fields),
    debug: (message, fields) => {
      if (verbose) line('debug', message, fields);
    },
  };
}

function writeToStderr(line: string): void {
  process.stderr.write(line);
}
