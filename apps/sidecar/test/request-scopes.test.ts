import { Writable } from 'node:stream';
import { noTracing, startTracing } from '@memrelay/process/tracing';
import { headers } from '@memrelay/protocol/headers';
import Fastify from 'fastify';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { requestFields } from '../src/logging.ts';
import { registerScopes } from '../src/request-scopes.ts';

test('log lines of a request have the id that the relayer sent, and those of others have none', async () => {
  const lines: object[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  const log = pino({ base: {}, timestamp: false, mixin: requestFields }, stream);
  const app = Fastify();
  registerScopes(app, noTracing);
  app.post('/keys', async () => {
    await new Promise(setImmediate);
    log.info('made a key');
    return {};
  });
  const send = (id?: string) =>
    app.inject({
      method: 'POST',
      url: '/keys',
      headers: id === undefined ? {} : { [headers.requestId]: id },
    });
  await Promise.all([send('request-0001'), send(), send('bad id\u0001')]);
  log.info('outside');
  expect(lines.map((line) => ('request_id' in line ? line.request_id : undefined)).sort()).toEqual([
    'request-0001',
    undefined,
    undefined,
    undefined,
  ]);
});

test('without an endpoint there is no tracing at all', async () => {
  const options = { service: 'test', version: '1', nameOf: () => undefined };
  expect(await startTracing({ ...options, endpoint: undefined })).toBe(noTracing);
});
