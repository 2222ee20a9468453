import { randomBytes, randomInt } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { boundaryOf, MultipartError, readMultipart } from '../src/http/multipart.ts';

type Part = [name: string, content: Buffer];

async function* chunked(body: Buffer, sizes: () => number): AsyncGenerator<Buffer> {
  for (let start = 0; start < body.length; ) {
    const end = start + sizes();
    yield body.subarray(start, end);
    start = end;
  }
}

async function partsOf(body: Buffer, boundary: string, sizes = () => 65_536): Promise<Part[]> {
  const parts: [string, Buffer[]][] = [];
  for await (const event of readMultipart(chunked(body, sizes), boundary)) {
    if (Buffer.isBuffer(event)) parts.at(-1)?.[1].push(event);
    else parts.push([event.name, []]);
  }
  return parts.map(([name, pieces]) => [name, Buffer.concat(pieces)]);
}

function formOf(parts: Part[], boundary: string): Buffer {
  const pieces = parts.flatMap(([name, content]) => [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`),
    content,
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
}

/** Bytes with many sequences that look like the end of a part. */
function trickyBytes(boundary: string): Buffer {
  const pieces = [
    '\r\n',
    '--',
    boundary,
    '\r\n--',
    `\r\n--${boundary.slice(0, -1)}`,
    '\r',
    '\n',
    'data',
    '-',
  ];
  const text = Array.from({ length: randomInt(12) }, () => pieces[randomInt(pieces.length)]).join('');
  return Buffer.from(text.replaceAll(`\r\n--${boundary}`, ''));
}

test('reads a body the same for any split into chunks', async () => {
  for (let round = 0; round < 300; round += 1) {
    const boundary = ['x', '----WebKitFormBoundary7MA4', '-----------------------------9051914041544843365'][
      round % 3
    ] as string;
    const parts = Array.from(
      { length: randomInt(6) + 1 },
      (_, n): Part => [`n${n}`, round % 2 === 0 ? trickyBytes(boundary) : randomBytes(randomInt(3000))],
    );
    const body = formOf(parts, boundary);
    // Tricky bytes can form a boundary with the bytes before them.
    if (body.toString('latin1').split(`--${boundary}`).length !== parts.length + 2) continue;
    expect(await partsOf(body, boundary)).toEqual(parts);
    expect(await partsOf(body, boundary, () => 1)).toEqual(parts);
    expect(await partsOf(body, boundary, () => randomInt(1, 200))).toEqual(parts);
  }
});

test('a form written by fetch is read as fetch reads it', async () => {
  for (let round = 0; round < 50; round += 1) {
    const form = new FormData();
    for (let left = randomInt(1, 6); left > 0; left -= 1) {
      form.append(`é-${randomInt(9)}`, new Blob([randomBytes(randomInt(5000))]), 'a file "x".bin');
    }
    const response = new Response(form);
    const boundary = boundaryOf(response.headers.get('content-type') ?? undefined);
    const expected: Part[] = [];
    for (const [name, value] of form) {
      expected.push([name, Buffer.from(await (value as File).arrayBuffer())]);
    }
    expect(await partsOf(Buffer.from(await response.arrayBuffer()), boundary ?? '')).toEqual(expected);
  }
});

test.each([
  ['multipart/form-data; boundary=abc', 'abc'],
  ['Multipart/Form-Data;charset=utf-8; Boundary="a b"', 'a b'],
  ['multipart/form-data; boundary=', undefined],
  ['multipart/form-data', undefined],
  ['multipart/mixed; boundary=abc', undefined],
  ['text/plain', undefined],
  [undefined, undefined],
  [`multipart/form-data; boundary=${'x'.repeat(500)}`, undefined],
])('the boundary of %s is %s', (contentType, boundary) => {
  expect(boundaryOf(contentType)).toBe(boundary);
});

describe('the name of a part', () => {
  const nameIn = async (...headers: string[]) => {
    const [part] = await partsOf(Buffer.from(`--x\r\n${headers.join('\r\n')}\r\n\r\nbody\r\n--x--\r\n`), 'x');
    return part?.[0];
  };

  test.each([
    ['Content-Disposition: form-data; name="a"', 'a'],
    ['content-disposition:form-data;name=a', 'a'],
    ['Content-Disposition: Form-Data; filename="x; name=\\"no\\""; name="yes"', 'yes'],
    ['Content-Disposition: form-data; name="a\\"b"', 'a"b'],
    ['Content-Disposition: form-data; name="a\\b"', 'a\\b'],
    ['Content-Disposition: form-data; name="größe"', 'größe'],
    ['Content-Disposition: form-data; name="__proto__"', '__proto__'],
    ['Content-Disposition: form-data; name=""', ''],
    ['Content-Disposition: form-data', ''],
    ['Content-Disposition: form-data; filename="f"', ''],
    ["Content-Disposition: form-data; name*=utf-8''a", ''],
    ['X-Other: 1', ''],
    ['', ''],
  ])('in "%s" is "%s"', async (header, name) => {
    expect(await nameIn(header)).toBe(name);
  });

  test('of 65,531 bytes is read completely, even after other headers', async () => {
    const name = 'n'.repeat(65_531);
    expect(await nameIn('X: y', `Content-Disposition: form-data; name="${name}"`)).toBe(name);
  });

  test.each([
    'Content-Disposition: attachment; name="a"',
    'Content-Disposition: form-data; name="a',
    'Content-Disposition: form-data garbage',
    'Content-Disposition: form-data; name="a\\"',
    `Content-Disposition: form-data; name="${'n'.repeat(140_000)}"`,
  ])('in "%.60s" is rejected', async (header) => {
    await expect(nameIn(header)).rejects.toThrow(MultipartError);
  });

  test('that is not UTF-8 is rejected', async () => {
    const header = Buffer.from('Content-Disposition: form-data; name="\xff"', 'latin1');
    const body = Buffer.concat([Buffer.from('--x\r\n'), header, Buffer.from('\r\n\r\nbody\r\n--x--')]);
    await expect(partsOf(body, 'x')).rejects.toThrow(MultipartError);
  });
});

test.each([
  ['nothing', ''],
  ['no boundary', 'hello'],
  ['another boundary', '--y\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--y--\r\n'],
  ['an end within the headers', '--x\r\nContent-Disposition: form-da'],
  ['an end after the headers', '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n'],
  ['an end within a part', '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nbody'],
  ['an end without the last dashes', '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nbody\r\n--x'],
  ['an end with one of two dashes', '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nbody\r\n--x-'],
  ['a part that ends within its headers', '--x\r\nContent-Disposition: form-data\r\n--x--\r\n'],
  ['parts without headers', '--x\r\n--x\r\n--x--'],
])('a body with %s is rejected, in one chunk or in many', async (_name, text) => {
  await expect(partsOf(Buffer.from(text), 'x')).rejects.toThrow(MultipartError);
  await expect(partsOf(Buffer.from(text), 'x', () => 1)).rejects.toThrow(MultipartError);
});

test('bytes before the first boundary and after the last are skipped', async () => {
  const form = formOf([['a', Buffer.from('b')]], 'x').toString();
  expect(await partsOf(Buffer.from(`preamble\r\n${form}epilogue\r\n--x\r\n`), 'x')).toEqual([
    ['a', Buffer.from('b')],
  ]);
  expect(await partsOf(Buffer.from('--x--'), 'x')).toEqual([]);
});

test('treats a form within a part as content', async () => {
  const inner = formOf([['inner', Buffer.from('b')]], 'y');
  expect(await partsOf(formOf([['outer', inner]], 'x'), 'x')).toEqual([['outer', inner]]);
});

test('reads or rejects changed bytes the same for any split into chunks', async () => {
  const valid = formOf(
    [
      ['a', Buffer.from('one')],
      ['_metadata', Buffer.from('[]')],
      ['b', Buffer.from('two')],
    ],
    'xyz',
  );
  for (let round = 0; round < 3000; round += 1) {
    const body = Buffer.from(valid);
    for (let changes = randomInt(1, 5); changes > 0; changes -= 1) {
      body[randomInt(body.length)] = [0, 10, 13, 34, 45, 58, 92, 255][randomInt(8)] as number;
    }
    const cut = body.subarray(0, randomInt(2) === 0 ? undefined : randomInt(body.length));
    const outcomes = await Promise.all(
      [() => 65_536, () => 1, () => randomInt(1, 20)].map((sizes) =>
        partsOf(cut, 'xyz', sizes).catch((error: unknown) => {
          expect(error).toBeInstanceOf(MultipartError);
          return 'refused';
        }),
      ),
    );
    expect(outcomes[1]).toEqual(outcomes[0]);
    expect(outcomes[2]).toEqual(outcomes[0]);
  }
});
