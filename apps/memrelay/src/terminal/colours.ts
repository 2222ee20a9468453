import { styleText } from 'node:util';

/** The styles that the command uses, each with the same meaning everywhere. */
export type Style = 'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow';

/** Returns the text in a style, or unchanged without colours. */
export type Paint = (style: Style, text: string) => string;

/** Leaves text as it is. */
export const unpainted: Paint = (_style, text) => text;

/**
 * Whether to write colours to a stream: not with `NO_COLOR` (https://no-color.org), in a dumb terminal or without a
 * terminal, unless `FORCE_COLOR` is set to anything but 0 or `false`.
 */
export function hasColours(
  stream: { isTTY?: boolean },
  { NO_COLOR, FORCE_COLOR, TERM }: NodeJS.ProcessEnv = process.env,
): boolean {
  if (NO_COLOR) return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return stream.isTTY === true && TERM !== 'dumb';
}

/** Returns the paint function for text written to this stream. */
export function painter(stream: { isTTY?: boolean }, environment: NodeJS.ProcessEnv = process.env): Paint {
  // `hasColours` decides, because Node would only check the streams of this process
  if (hasColours(stream, environment))
    return (style, text) => styleText(style, text, { validateStream: false });
  return unpainted;
}
