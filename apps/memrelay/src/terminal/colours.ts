import { styleText } from 'node:util';

/** The styles that the command uses; what each means is the same everywhere. */
export type Style = 'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow';

/** Returns the text in a style, or unchanged where there are no colours. */
export type Paint = (style: Style, text: string) => string;

/** Leaves text as it is. */
export const unpainted: Paint = (_style, text) => text;

/**
 * Whether to write colours to a stream: not with `NO_COLOR` (https://no-color.org), a dumb terminal or without a terminal,
 * except with `FORCE_COLOR`, which counts as off when it is 0 or `false`.
 */
export function hasColours(
  stream: { isTTY?: boolean },
  { NO_COLOR, FORCE_COLOR, TERM }: NodeJS.ProcessEnv = process.env,
): boolean {
  if (NO_COLOR) return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return stream.isTTY === true && TERM !== 'dumb';
}

/** For text that goes to this stream. */
export function painter(stream: { isTTY?: boolean }, environment: NodeJS.ProcessEnv = process.env): Paint {
  // `hasColours` has decided; Node would look at the streams of this process
  if (hasColours(stream, environment))
    return (style, text) => styleText(style, text, { validateStream: false });
  return unpainted;
}
