/**
 * RUST_LOG in the form of the specification: `level` or `target=level`, comma-separated. The target `memrelay_server` is the
 * relayer with its sidecar, `memrelay_server::jobs` one part of it, and `tower_http` the request log.
 */
export type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';

export const defaultLogFilter = 'memrelay_server=info,tower_http=info';

const levels: Readonly<Record<string, Level>> = {
  trace: 'trace',
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  error: 'error',
  off: 'silent',
};

/** Parts of `memrelay_server` with a separate logger; `sidecar` is also the process of that name. */
export const logParts = [
  'auth',
  'accounts',
  'database',
  'jobs',
  'memories',
  'sidecar',
  'blobs',
  'alerts',
] as const;

export const serverTarget = 'memrelay_server';
export const requestTarget = 'tower_http';
/** The target of a part's log lines. */
export const partTarget = (part: (typeof logParts)[number]): string => `${serverTarget}::${part}`;

interface Directive {
  /** Undefined for the default level of all other targets */
  target: string | undefined;
  /** Undefined if the text is not a valid level */
  level: Level | undefined;
}

function directivesOf(text: string): Directive[] {
  return text
    .split(',')
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '')
    .map((piece) => {
      const parts = piece.split('=').map((part) => part.trim());
      const target = parts.length === 1 ? undefined : parts[0]!;
      const isForm = parts.length <= 2 && (target === undefined || /^\w+(::\w+)*$/.test(target));
      return { target, level: isForm ? levels[parts.at(-1)!.toLowerCase()] : undefined };
    });
}

function isKnown(target: string): boolean {
  return (
    target === serverTarget ||
    target === requestTarget ||
    target.startsWith(`${requestTarget}::`) ||
    logParts.some((part) => target === partTarget(part))
  );
}

/** Targets that this server does not have, so that their directives have no effect. */
export function unknownLogTargets(text: string): string[] {
  return directivesOf(text).flatMap(({ target }) => (target === undefined || isKnown(target) ? [] : target));
}

/**
 * The problem with a filter, or undefined if it is valid. A filter with only unknown targets is invalid, because it would turn
 * off all logging.
 */
export function logFilterProblem(text: string): string | undefined {
  const directives = directivesOf(text);
  if (directives.length === 0 || directives.some(({ level }) => level === undefined))
    return `must be level or target=level, separated by commas, as in ${defaultLogFilter}; levels are ${Object.keys(levels).join(', ')}`;
  if (directives.every(({ target }) => target !== undefined && !isKnown(target)))
    return `names no part of this server: use ${serverTarget}, one of its parts (${logParts.map(partTarget).join(', ')}) or ${requestTarget}, or a level alone`;
  return undefined;
}

export interface LogFilter {
  /** The level of a target: the longest directive that is the target or a parent of it, else the bare level. */
  levelOf(target: string): Level;
}

/** Parses a filter that `logFilterProblem` has accepted. */
export function parseLogFilter(text: string): LogFilter {
  let fallback: Level = 'error';
  const byTarget = new Map<string, Level>();
  for (const { target, level } of directivesOf(text)) {
    if (level === undefined) continue;
    if (target === undefined) fallback = level;
    else byTarget.set(target, level);
  }
  return {
    levelOf(target) {
      for (let name = target; ; name = name.slice(0, name.lastIndexOf('::'))) {
        const level = byTarget.get(name);
        if (level) return level;
        if (!name.includes('::')) return fallback;
      }
    },
  };
}
