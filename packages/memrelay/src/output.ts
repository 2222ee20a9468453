/** What the command prints: for a person on a terminal, or one JSON value a line with `--json`. */
export interface Output {
  readonly json: boolean;
  /** What is being done now; replaces the step before on a terminal */
  step(text: string): void;
  /** Ends the last step */
  done(): void;
  /** Text for a person; nothing with `--json` */
  line(text: string): void;
  /** A result: JSON for programs; the caller prints its own lines for a person */
  result(value: unknown): void;
  /** What a part of the local system wrote */
  partOutput(part: string, text: string): void;
}

interface Streams {
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

const clearLine = '\r\u001b[2K';

export function createOutput(options: { json: boolean }, { stdout, stderr }: Streams = process): Output {
  const live = !options.json && stdout.isTTY === true;
  let current: { text: string; since: number; timer: NodeJS.Timeout } | undefined;
  const seconds = (since: number): string => ((Date.now() - since) / 1000).toFixed(1);
  const draw = (): void => {
    if (current) stdout.write(`${clearLine}… ${current.text} ${seconds(current.since)} s`);
  };
  const finish = (): void => {
    if (!current) return;
    clearInterval(current.timer);
    if (live) stdout.write(`${clearLine}✓ ${current.text} (${seconds(current.since)} s)\n`);
    current = undefined;
  };
  /** Anything printed while a step is shown goes above it */
  const above = (stream: NodeJS.WriteStream, text: string): void => {
    if (current && live) stdout.write(clearLine);
    stream.write(text.endsWith('\n') ? text : `${text}\n`);
    if (live) draw();
  };
  return {
    json: options.json,
    step(text) {
      finish();
      if (options.json) return;
      if (live) {
        current = { text, since: Date.now(), timer: setInterval(draw, 100) };
        draw();
      } else stdout.write(`${text} …\n`);
    },
    done: finish,
    line(text) {
      if (!options.json) above(stdout, text);
    },
    result(value) {
      if (options.json) stdout.write(`${JSON.stringify(value)}\n`);
    },
    partOutput(part, text) {
      above(stderr, text.replace(/^/gm, `[${part}] `).replace(/\[[a-z]+\] $/, ''));
    },
  };
}
