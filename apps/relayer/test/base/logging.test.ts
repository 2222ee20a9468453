import { spawnSync } from 'node:child_process';
import { logFilterProblem, parseLogFilter, unknownLogTargets } from '@memrelay/protocol/log-filter';
import { describe, expect, test } from 'vitest';

describe('the log filter', () => {
  test.each([
    ['memrelay_server=info,tower_http=info', 'memrelay_server::jobs', 'info'],
    ['memrelay_server=info,tower_http=info', 'tower_http', 'info'],
    ['memrelay_server=info', 'tower_http', 'error'],
    ['warn', 'memrelay_server::auth', 'warn'],
    ['warn,memrelay_server::jobs=trace', 'memrelay_server::jobs', 'trace'],
    ['warn,memrelay_server::jobs=trace', 'memrelay_server::auth', 'warn'],
    ['memrelay_server=debug,memrelay_server::jobs=off', 'memrelay_server::jobs', 'silent'],
    ['memrelay_server=debug,memrelay_server::jobs=off', 'memrelay_server', 'debug'],
    [' WARN , memrelay_server = INFO ', 'memrelay_server', 'info'],
    ['memrelay=info', 'memrelay_server', 'error'],
    ['off', 'tower_http', 'silent'],
  ])('with %s gives %s level %s', (filter, target, level) => {
    expect(parseLogFilter(filter).levelOf(target)).toBe(level);
  });
});

describe('a log filter from the environment', () => {
  test.each([
    'memrelay_server=info,tower_http=info',
    'info',
    'OFF',
    'warn,memrelay_server::jobs=trace',
    ' memrelay_server = debug , ',
    'hyper=warn,memrelay_server=info',
    'memwal_server=info,tower_http=info',
    'tower_http::trace=debug',
    'warn,hyper=info',
  ])('accepts %s', (filter) => {
    expect(logFilterProblem(filter)).toBeUndefined();
  });

  test.each([
    'garbage',
    'info,garbage',
    'memrelay_server',
    'memrelay_server=loud',
    'memrelay_server=',
    '=info',
    'a=b=info',
    'memrelay_server info',
    'memrelay_server[span]=info',
    ',',
  ])('rejects %s with a message that describes the format', (filter) => {
    expect(logFilterProblem(filter)).toContain('memrelay_server=info,tower_http=info');
    expect(logFilterProblem(filter)).toContain('trace, debug, info, warn, error, off');
  });

  test.each(['hyper=info', 'memrelay=info', 'memrelay_server::jbos=info'])(
    'rejects %s alone, which would turn logging off',
    (filter) => {
      expect(logFilterProblem(filter)).toContain('names no part of this server');
    },
  );

  test('lists unknown targets', () => {
    const filter =
      'memwal_server=info,tower_http=info,memrelay_server::sidecar=warn,memrelay_server::x=info,debug';
    expect(unknownLogTargets(filter)).toEqual(['memwal_server', 'memrelay_server::x']);
  });
});

describe.each(['json', 'pretty', 'text'] as const)('logs as %s', (format) => {
  /** Output of a process with these loggers; `levels` are those of the filter. */
  function written(filter: string): string {
    const loggers = new URL('../../src/base/logging/loggers.ts', import.meta.url).href;
    const program = `
      import { createLoggers } from '${loggers}';
      const { auth, http, jobs } = createLoggers({ filter: '${filter}', format: '${format}' });
      const headers = { authorization: 'SECRET-1', 'x-enc-session': 'SECRET-2', 'x-delegate-key': 'SECRET-3', accept: 'kept' };
      auth.warn({ headers, req: { headers }, request: { headers } }, 'all of them');
      auth.info('not at this level');
      http.info({ route: '/health' }, 'request');
      jobs.error({ err: new Error('broken', { cause: new Error('deeper') }) }, 'with a cause');
    `;
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program],
      { encoding: 'utf8' },
    );
    expect(stderr).toBe('');
    return stdout;
  }

  test('contain no credentials, and only the configured levels', () => {
    const text = written('warn,tower_http=info');
    expect(text).not.toContain('SECRET');
    expect(text).toContain('kept');
    expect(text).toContain('/health');
    expect(text).not.toContain('not at this level');
    expect(text).toContain('deeper');
    expect(written('off')).toBe('');
  });

  test('are JSON lines if configured', () => {
    const lines = written('info').trim().split('\n');
    if (format !== 'json') return expect(() => JSON.parse(lines[0]!)).toThrow();
    const targets = lines.map((line) => JSON.parse(line).target);
    expect(targets).toEqual([
      'memrelay_server::auth',
      'memrelay_server::auth',
      'tower_http',
      'memrelay_server::jobs',
    ]);
  });
});
