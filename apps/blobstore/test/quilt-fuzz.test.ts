import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';
import { putQuilt, quiltIdOf } from './quilt-client.ts';
import { patient, sharedStore, startStore, temporaryDirectory } from './running-store.ts';

/** Sends a raw form. Returns the status of the response, after which the connection ends. */
async function put(url: string, contentType: string, body: Buffer): Promise<number> {
  const socket = sendForm(url, contentType, body, body.length);
  return Number(/^HTTP\/1\.1 (\d{3}) /.exec(await text(socket))?.[1]);
}

function sendForm(url: string, contentType: string, body: Buffer, announcedBytes: number): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  const head = [
    'PUT /v1/quilts HTTP/1.1',
    'host: localhost',
    'connection: close',
    `content-type: ${contentType}`,
    `content-length: ${announcedBytes}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  socket.write(body);
  return socket;
}

const formType = 'multipart/form-data; boundary=xyz';

function part(name: string, content: string): string {
  return `--xyz\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`;
}

const valid = Buffer.from(
  `${part('a', 'one')}${part('_metadata', '[{"identifier":"a","tags":{"k":"v"}}]')}${part('b', 'two')}--xyz--\r\n`,
);

test('never responds with 500 to a malformed form, or leaves it waiting', async () => {
  const dataDir = await temporaryDirectory();
  const { url } = await startStore({ dataDir });
  expect(await put(url, formType, valid)).toBe(200);
  const statuses = new Set<number>();
  for (let round = 0; round < 400; round += 1) {
    const body = Buffer.from(valid);
    for (let changes = randomInt(1, 6); changes > 0; changes -= 1) {
      body[randomInt(body.length)] = [0, 10, 13, 34, 45, 58, 91, 123, 255, randomInt(256)][
        randomInt(10)
      ] as number;
    }
    const sent = randomInt(3) === 0 ? body.subarray(0, randomInt(body.length)) : body;
    statuses.add(await put(url, formType, sent));
  }
  expect([...statuses].toSorted()).toEqual([200, 400]);
  await expect.poll(() => readdir(join(dataDir, 'incoming')), patient).toEqual([]);
  expect(await put(url, formType, valid)).toBe(200);
});

describe('a body', () => {
  const store = sharedStore();
  const many = Array.from({ length: 5000 }, (_, n) => part(`n${n}`, '')).join('');

  test.each<[string, string, string, number]>([
    ['with the wrong boundary', 'multipart/form-data; boundary=abc', valid.toString(), 400],
    ['without a boundary', 'multipart/form-data', valid.toString(), 400],
    ['with an empty boundary', 'multipart/form-data; boundary=""', valid.toString(), 400],
    ['of another type', 'application/json', '{}', 400],
    ['of an invalid type', ';;', valid.toString(), 400],
    ['without content', formType, '', 400],
    ['of a last boundary alone', formType, '--xyz--\r\n', 400],
    ['of dashes', formType, '-'.repeat(100_000), 400],
    ['of boundaries', formType, '--xyz\r\n'.repeat(20_000), 400],
    ['of line ends', formType, '\r\n'.repeat(50_000), 400],
    ['with a huge header', formType, `--xyz\r\nX: ${'x'.repeat(1_000_000)}\r\n\r\n`, 400],
    ['with many headers', formType, `--xyz\r\n${'X: y\r\n'.repeat(50_000)}\r\n\r\n--xyz--`, 400],
    ['with a huge name', formType, `${part('n'.repeat(100_000), 'x')}--xyz--`, 400],
    ['with a name of backslashes', formType, `${part('\\'.repeat(60_001), 'x')}--xyz--`, 400],
    ['with too many parts', formType, `${many}--xyz--`, 400],
    ['with duplicate names', formType, `${part('a', '1')}${part('a', '2')}--xyz--`, 400],
    ['with parts without names', formType, '--xyz\r\n\r\nx\r\n--xyz--', 400],
    ['with a form in a form', formType, `${part('a', valid.toString())}--xyz--`, 400],
    ['with metadata alone', formType, `${part('_metadata', '[]')}--xyz--`, 400],
    [
      'with deep metadata',
      formType,
      `${part('a', '1')}${part('_metadata', '['.repeat(500_000))}--xyz--`,
      400,
    ],
    [
      'with deep tags',
      formType,
      `${part('a', '1')}${part('_metadata', `[{"identifier":"a","tags":{"t":${'['.repeat(9000)}${']'.repeat(9000)}}}]`)}--xyz--`,
      400,
    ],
    ['with too much metadata', formType, `${part('_metadata', ' '.repeat(9_000_000))}--xyz--`, 400],
  ])('%s gets a response', async (_name, type, body, status) => {
    expect(await put(store(), type, Buffer.from(body))).toBe(status);
  });

  test('that ends before its announced length frees its place in the queue', async () => {
    const { url } = await startStore({ limits: { publisher: { concurrent: 1, buffered: 1 } } });
    const socket = sendForm(url, formType, valid.subarray(0, 100), 100_000);
    socket.end();
    await once(socket.resume(), 'close');
    await expect.poll(() => put(url, formType, valid), patient).toBe(200);
  });
});

describe('an id', () => {
  const store = sharedStore();
  let quiltId = '';
  let patchIds: string[] = [];
  beforeAll(async () => {
    const answer = await putQuilt(store(), { a: '1', b: '2' });
    quiltId = quiltIdOf(answer);
    patchIds = answer.storedQuiltBlobs.map(({ quiltPatchId }) => quiltPatchId);
  });

  test('of random or changed characters gets 200, 400 or 404', async () => {
    const alphabet = 'ABCabc019-_=+/%.~ \u00e9';
    for (let round = 0; round < 600; round += 1) {
      const known = round % 2 === 0 ? quiltId : (patchIds[randomInt(2)] ?? '');
      const characters = [...known];
      for (let changes = randomInt(4); changes > 0; changes -= 1) {
        characters[randomInt(characters.length)] = alphabet[randomInt(alphabet.length)] as string;
      }
      const id = randomInt(5) === 0 ? randomBytes(randomInt(60)).toString('base64url') : characters.join('');
      const path = [
        `/v1/blobs/by-quilt-patch-id/${encodeURIComponent(id)}`,
        `/v1/blobs/by-quilt-id/${encodeURIComponent(id)}/${encodeURIComponent(id)}`,
        `/v1/quilts/${encodeURIComponent(id)}/patches`,
        `/quilts/${id}/patches`,
      ][round % 4] as string;
      const response = await fetch(`${store()}${path}`);
      expect([200, 400, 404]).toContain(response.status);
      await response.arrayBuffer();
    }
  });

  test('with columns of any kind gets 200 or 404', async () => {
    for (let round = 0; round < 200; round += 1) {
      const bytes = Buffer.from(patchIds[0] ?? '', 'base64url');
      bytes.writeUInt16LE([1, 2, 3, 20, 21, 65_535, randomInt(65_536)][round % 7] as number, 33);
      bytes.writeUInt16LE(randomInt(bytes.readUInt16LE(33), 65_536), 35);
      const response = await fetch(`${store()}/v1/blobs/by-quilt-patch-id/${bytes.toString('base64url')}`);
      expect([200, 400, 404]).toContain(response.status);
      await response.arrayBuffer();
    }
  });
});
