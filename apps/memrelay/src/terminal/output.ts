import { type Paint, painter } from './colours.ts';
import { duration } from './durations.ts';
import { cut } from './plain-text.ts';

/** Output of a command: text for a person, or one JSON value per line with `--json`. */
export interface Output {
  readonly json: boolean;
  /** True on a terminal, where a person sees output as it is written */
  readonly live: boolean;
  /** Width of the output in columns */
  readonly width: number;
  /** Colours text for `line`, if it is written to a terminal */
  readonly paint: Paint;
  /** Shows the current step; on a terminal it replaces the previous one */
  step(text: string): void;
  /** Progress of the current step: shown in its place, or as an occasional line without a terminal */
  progress(render: (width: number) => string): void;
  /** Marks the current step as done */
  done(): void;
  /** Marks the current step as failed; the code that catches the error prints it */
  abandon(): void;
  /** Text for a person; nothing with `--json` */
  line(text: string): void;
  /** A result: JSON for programs; the caller prints its own lines for a person */
  result(value: unknown): void;
  /** Output of a part of the local system */
  partOutput(part: string, text: string): void;
}

interface Streams {
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

/** A step on a terminal, redrawn in one line. */
interface Shown {
  name: string;
  render: (width: number) => string;
  since: number;
  timer: NodeJS.Timeout;
}

const clearLine = '\r\u001b[2K';
/** Pause between progress lines without a terminal, where they cannot be overwritten. */
const plainProgressMs = 5_000;

export function createOutput(options: { json: boolean }, { stdout, stderr }: Streams = process): Output {
  const live = !options.json && stdout.isTTY === true;
  const width = (): number => (stdout.isTTY && stdout.columns > 0 ? stdout.columns : 80);
  const paint = painter(stdout);
  let current: Shown | undefined;
  let plainProgressAt = 0;

  const draw = (): void => {
    // Leave one column free: a line of full width would wrap, and only its last part would be cleared.
    if (current) stdout.write(`${clearLine}${cut(current.render(width() - 1), width() - 1)}`);
  };
  const end = (mark: string): void => {
    if (!current) return;
    clearInterval(current.timer);
    const { name, since } = current;
    current = undefined;
    stdout.write(`${clearLine}${mark} ${name} ${paint('dim', `(${duration(Date.now() - since)})`)}\n`);
  };
  const show = (name: string, render: Shown['render']): void => {
    end(paint('green', '✓'));
    // The timer must not keep a failed command running.
    current = { name, render, since: Date.now(), timer: setInterval(draw, 100).unref() };
    draw();
  };
  /** Anything printed while a step is shown goes above it */
  const above = (stream: NodeJS.WriteStream, text: string): void => {
    if (current) stdout.write(clearLine);
    stream.write(text.endsWith('\n') ? text : `${text}\n`);
    draw();
  };
  return {
    json: options.json,
    live,
    get width() {
      return width();
    },
    paint,
    step(name) {
      if (options.json) return;
      if (!live) return void stdout.write(`${name} …\n`);
      const since = Date.now();
      show(name, () => `… ${name} ${Math.round((Date.now() - since) / 1000)} s`);
    },
    progress(render) {
      if (options.json) return;
      if (current) {
        current.render = render;
      } else if (Date.now() - plainProgressAt >= plainProgressMs) {
        plainProgressAt = Date.now();
        stdout.write(`${render(width())}\n`);
      }
    },
    done: () => end(paint('green', '✓')),
    abandon: () => end(paint('red', '✗')),
    line(text) {
      if (!options.json) above(stdout, text);
    },
    result(value) {
      if (options.json) stdout.write(`${JSON.stringify(value)}\n`);
    },
    partOutput(part, text) {
      above(stderr, text.replace(/^(?=.)/gm, `[${part}] `));
    },
  };
}
