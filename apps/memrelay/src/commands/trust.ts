import {
  distrustOrigin,
  readTrustedOrigins,
  trustOrigin,
  trustPath,
} from '@memrelay/sdk/trusted-origins-node';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import type { Output } from '../terminal/output.ts';

/** `memrelay trust`: relayers that tools may call with credentials of another one. */
export async function trust(
  output: Output,
  url: string | undefined,
  options: { list?: boolean; remove?: string },
): Promise<void> {
  if ([url, options.list, options.remove].filter((given) => given !== undefined).length !== 1)
    throw new ExitError(exitCodes.usage, 'Give one of: a URL, --list, --remove URL.');
  if (options.list) {
    const origins = await readTrustedOrigins();
    output.line(
      origins.length === 0
        ? 'No relayers are approved, apart from those you signed in at.'
        : origins.join('\n'),
    );
    output.result({ origins });
    return;
  }
  const origin = originOf(options.remove ?? url!);
  const changed = await (options.remove === undefined ? trustOrigin(origin) : distrustOrigin(origin));
  if (options.remove === undefined)
    output.line(
      changed
        ? `Tools on this machine may now call ${origin} with your credentials (${trustPath()}). Running agents take it up at once.`
        : `${origin} was approved already.`,
    );
  else output.line(changed ? `${origin} is not approved any more.` : `${origin} was not approved.`);
  output.result({ origin, approved: options.remove === undefined, changed });
}

function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return url.origin;
  throw new ExitError(exitCodes.usage, 'The URL must be that of a relayer, such as https://relayer.example.');
}
