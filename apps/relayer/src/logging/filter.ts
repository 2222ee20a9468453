/**
 * RUST_LOG as the spec keeps it: `level` or `target=level`, comma-separated. `memrelay_server` is this process,
 * `memrelay_server::jobs` one part of it, `tower_http` the request log.
 */
export type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';

const levels: Readonly<Record<string, Level>> = {
  trace: 'trace',
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  error: 'error',
  off: 'silent',
};

export interface LogFilter {
  /** The level of a target: the longest directive that is the target or a parent of it, else the bare level. */
  levelOf(target: string): Level;
}

/** Parts that cannot be understood are left out: a wrong filter must not stop a server. */
export function parseLogFilter(text: string): LogFilter {
  let fallback: Level = 'error';
  const directives = new Map<string, Level>();
  for (const part of text.split(',').map((piece) => piece.trim())) {
    const [target = '', name] = part.split('=').map((piece) => piece.trim());
    if (name === undefined) fallback = levels[target.toLowerCase()] ?? fallback;
    else if (levels[name.toLowerCase()]) directives.set(target, levels[name.toLowerCase()]!);
  }
  return {
    levelOf(target) {
      for (let name = target; ; name = name.slice(0, name.lastIndexOf('::'))) {
        const level = directives.get(name);
        if (level) return level;
        if (!name.includes('::')) return fallback;
      }
    },
  };
}
