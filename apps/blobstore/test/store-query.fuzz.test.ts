import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { ApiError } from '../src/base/api-error.ts';
import { queryOf } from '../src/http/query.ts';
import { parseStoreQuery } from '../src/http/store-query.ts';

const rounds = 20_000;
const address = `0x${'aB'.repeat(32)}`;

function pick<T>(choices: readonly T[]): T {
  return choices[randomInt(choices.length)] as T;
}

const names = [
  'epochs',
  'deletable',
  'permanent',
  'force',
  'reuse_resources',
  'encoding_type',
  'quilt_version',
  'send_object_to',
  'share',
  'Epochs',
  'epochs[]',
  '__proto__',
  'constructor',
  '',
];

const values = [
  'true',
  'false',
  'True',
  '1',
  '0',
  '53',
  '54',
  '-1',
  '1e1',
  '0x5',
  ' 5',
  '٣',
  '00005',
  '99999999999999999999',
  'NaN',
  'RS2',
  'RS2 ',
  'RedStuff',
  'V1',
  address,
  address.slice(0, -1),
  `${address}0`,
  '%00',
  '%zz',
  '%E0%A4%A',
  '+',
  '',
  'null',
  'true&permanent=true',
  '🜁',
];

function randomQuery(): string {
  const pairs = Array.from({ length: randomInt(6) }, () => {
    const value = pick(values);
    return `${pick(names)}${pick(['=', '=', '=', '==', ''])}${value}`;
  });
  return `/v1/blobs${pick(['?', '?', '', '??'])}${pairs.join(pick(['&', '&', '&&', ';']))}`;
}

test('every query is either parsed as documented or rejected with 400', () => {
  let understood = 0;
  for (let round = 0; round < rounds; round += 1) {
    const url = randomQuery();
    try {
      const query = parseStoreQuery(url);
      understood += 1;
      expect(query.epochs, url).toBeOneOf(Array.from({ length: 53 }, (_, index) => index + 1));
      for (const flag of [query.permanent, query.force, query.reuseResources, query.share]) {
        expect(typeof flag, url).toBe('boolean');
      }
      if (query.sendObjectTo !== undefined) expect(query.sendObjectTo, url).toMatch(/^0x[0-9a-f]{64}$/);
      expect(query.share && query.sendObjectTo !== undefined, url).toBe(false);
      const parameters = queryOf(url);
      expect(query.permanent && parameters.get('deletable') === 'true', url).toBe(false);
      expect(query.permanent, url).toBe(parameters.get('permanent') === 'true');
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      expect(error.fields.httpStatus, url).toBe(400);
    }
  }
  expect(understood).toBeGreaterThan(rounds / 50);
});
