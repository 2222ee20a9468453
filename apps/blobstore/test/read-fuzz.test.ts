import { randomBytes, randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { blockBytes } from '../src/storage/block-digests.ts';
import { type RawRead, rawRead } from './raw-read.ts';
import { putNew, startStore } from './running-store.ts';

/** The allowed responses to any read; anything else is a bug. */
const expected = new Set([200, 206, 400, 404, 405, 413, 414, 415, 416, 422, 431]);

function pick<T>(values: readonly T[]): T {
  return values[randomInt(values.length)] as T;
}

function some<T>(make: () => T, most: number): T[] {
  return Array.from({ length: randomInt(most + 1) }, make);
}

const numbers = [
  '0',
  '1',
  '9',
  '-1',
  '',
  '1e3',
  '0x1',
  '٣',
  '1_0',
  ' 1',
  '2147483648',
  '9007199254740993',
  '9'.repeat(400),
];
const pieces = [
  '%',
  '%zz',
  '%00',
  '%2F',
  '/',
  '..',
  '?',
  '&',
  '=',
  '+',
  ';',
  '\\',
  '"',
  '[',
  '{',
  'é',
  '\u{1f600}',
  'A'.repeat(43),
];

function number(size: number): string {
  return pick([...numbers, String(randomInt(size + 2)), String(size), String(size - 1)]);
}

function rangeHeader(size: number): string {
  const one = () => `${number(size)}${pick(['-', '-', '-', '--', ','])}${number(size)}`;
  return `${pick(['bytes=', 'bytes=', 'bytes =', 'Bytes=', 'b=', ''])}${[one(), ...some(one, 2)].join(',')}`;
}

function text(): string {
  return some(() => pick([...pieces, randomBytes(4).toString('base64url')]), 5).join('');
}

function query(size: number): string {
  const name = () =>
    pick([
      'start',
      'length',
      'ids',
      'strict_consistency_check',
      'skip_consistency_check',
      'cb',
      '__proto__',
      text(),
    ]);
  const value = () => pick([number(size), 'true', 'false', 'TRUE', text(), '']);
  return some(() => `${name()}${pick(['=', '=', '', '=='])}${value()}`, 4).join('&');
}

function jsonValue(ids: string[], depth: number): unknown {
  const scalars = [() => null, () => true, () => randomInt(100), () => text(), () => pick(ids)];
  const nested = [
    () => some(() => jsonValue(ids, depth - 1), 3),
    () => Object.fromEntries(some(() => [pick(['ids', '__proto__', text()]), jsonValue(ids, depth - 1)], 3)),
  ];
  return pick(depth > 0 ? [...scalars, ...nested] : scalars)();
}

function body(ids: string[]): string {
  const valid = JSON.stringify({
    ids: some(() => pick([...ids, ...ids, text()]), 4),
    ...(randomInt(3) === 0 ? { [pick(['strict_consistency_check', 'cb'])]: jsonValue(ids, 1) } : {}),
  });
  const cut = randomInt(valid.length + 1);
  return pick([
    valid,
    valid.slice(0, cut),
    `${valid.slice(0, cut)}${text()}${valid.slice(cut)}`,
    JSON.stringify(jsonValue(ids, 3)) ?? '',
    '['.repeat(randomInt(100_000)),
  ]);
}

function encodedPath(path: string): string {
  // A client cannot send these characters unescaped.
  return path.replaceAll(/[^\x21-\x7e]/gu, (letter) => encodeURIComponent(letter));
}

test('no range, id, query or JSON makes a read fail, hang or return wrong bytes', async () => {
  const { url } = await startStore();
  const content = randomBytes(2 * blockBytes + 100);
  const { blobObject } = await putNew(url, content);
  const ids = [blobObject.blobId, blobObject.id];
  const size = content.length;

  function check(read: RawRead, asked: string): void {
    expect(expected, `${asked} answers ${read.status}`).toContain(read.status);
    if (read.status >= 400 || read.status < 200) {
      expect(JSON.parse(read.bytes.toString()), asked).toHaveProperty('error.code', read.status);
      return;
    }
    expect(read.complete, asked).toBe(true);
    const [, start, end] = /bytes (\d+)-(\d+)\//.exec(read.headers['content-range'] ?? '') ?? [];
    if (read.status === 206) {
      expect(content.subarray(Number(start), Number(end) + 1).equals(read.bytes), asked).toBe(true);
    }
    const part = /^.{43}-(\d+)-(\d+)$/.exec(read.headers.etag ?? '');
    if (part !== null) {
      const from = Number(part[1]);
      expect(content.subarray(from, from + Number(part[2])).equals(read.bytes), asked).toBe(true);
    }
  }

  const asks: (() => Promise<void>)[] = [
    async () => {
      const range = rangeHeader(size);
      if (/[^\x20-\x7e]/.test(range)) return;
      const path = pick([`/v1/blobs/${ids[0]}`, `/v1/blobs/by-object-id/${ids[1]}`]);
      check(await rawRead(url + path, { headers: { range } }), `${path} with ${range}`);
    },
    async () => {
      const path = encodedPath(`/v1/blobs/${ids[0]}/byte-range?${query(size)}`);
      check(await rawRead(url + path), path);
    },
    async () => {
      const start = number(size);
      const path = encodedPath(`/v1/blobs/${ids[0]}/byte-range?start=${start}&length=${number(size)}`);
      check(await rawRead(url + path), path);
    },
    async () => {
      const id = pick([...ids, text(), text()]);
      const route = pick(['/v1/blobs/', '/v1/blobs/by-object-id/', '/v1alpha/blobs/']);
      const path = encodedPath(`${route}${id}${pick(['', '/byte-range', '/stream'])}?${query(size)}`);
      check(await rawRead(url + path), path);
    },
    async () => {
      const list = some(() => pick([...ids, text(), '']), 4).join(pick([',', ',', ' ', '%2C']));
      const path = encodedPath(`/v1alpha/blobs/concat?ids=${list}&${query(size)}`);
      check(await rawRead(url + path), path);
    },
    async () => {
      const type = pick(['application/json', 'application/json', 'text/plain', ';', '']);
      const json = body(ids);
      const headers = { 'content-type': type };
      const read = await rawRead(`${url}/v1alpha/blobs/concat`, { method: 'POST', headers, body: json });
      check(read, `POST of ${json.slice(0, 200)}`);
    },
  ];
  for (let round = 0; round < 1500; round += 1) await pick(asks)();
  check(await rawRead(`${url}/v1/blobs/${ids[0]}`), 'the plain read');
});
