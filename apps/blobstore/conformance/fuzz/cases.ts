import { createHmac, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { formOf, type Part } from '../form.ts';
import type { Request } from '../session.ts';
import type { Random } from './random.ts';
import {
  changed,
  flagLike,
  idLike,
  idOf,
  jsonLike,
  jsonTextLike,
  type Known,
  numberLike,
  queryLike,
  rangeLike,
} from './values.ts';

export interface Case extends Request {
  path: string;
}

export interface Secrets {
  adminToken?: string | undefined;
  /** HS256 secret, if stores require tokens */
  tokenSecret?: string | undefined;
}

/** Replaces characters that Node refuses to send in a header. */
function headerText(text: string): string {
  return text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?');
}

/** Escapes characters that Node refuses to send in a path. */
function pathText(text: string): string {
  return text.replaceAll(/[^\x21-\x7e]/g, (character) => encodeURIComponent(character.toWellFormed()));
}

function storeQuery(random: Random): string {
  return queryLike(random, {
    epochs: () => numberLike(random),
    deletable: () => flagLike(random),
    permanent: () => flagLike(random),
    force: () => flagLike(random),
    reuse_resources: () => flagLike(random),
    share: () => flagLike(random),
    encoding_type: () => random.pick(['RS2', 'RS2', 'rs2', 'RedStuff', '']),
    quilt_version: () => random.text('V12 ', 3),
    send_object_to: () => `0x${random.text('0123456789abcdef', random.pick([0, 63, 64, 64, 65]))}`,
  });
}

export function readCase(random: Random, known: Known): Case {
  const idIn = (kind: keyof Known): string => pathText(idOf(random, known, kind));
  const blobId = idIn('blobIds');
  const flags = {
    strict_consistency_check: () => flagLike(random),
    skip_consistency_check: () => flagLike(random),
    start: () => numberLike(random),
    length: () => numberLike(random),
    ids: () => Array.from({ length: random.below(4) }, () => idLike(random, known)).join(','),
  };
  const path = random.pick([
    `/v1/blobs/${blobId}`,
    `/v1/blobs/by-object-id/${idIn('objectIds')}`,
    `/v1/blobs/${blobId}/byte-range`,
    `/v1alpha/blobs/${blobId}/stream`,
    '/v1alpha/blobs/concat',
    `/v1/blobs/by-quilt-patch-id/${idIn('patchIds')}`,
    `/v1/blobs/by-quilt-id/${blobId}/${pathText(random.pick(['a', 'b', idLike(random, known)]))}`,
    `/v1/quilts/${blobId}/patches`,
    `/quilts/${blobId}/patches`,
    `/${blobId}`,
  ]);
  const query = random.oneIn(2) ? queryLike(random, flags) : '';
  const range = random.oneIn(2) ? { range: headerText(rangeLike(random)) } : {};
  const accept = random.oneIn(4) ? { accept: headerText(idLike(random, known)) || '*/*' } : {};
  const method = random.pick(['GET', 'GET', 'GET', 'HEAD', 'OPTIONS', 'DELETE', 'POST', 'PATCH']);
  return { method, path: path + query, headers: { ...range, ...accept } };
}

export function storeCase(random: Random): Case {
  const headers = random.oneIn(3) ? { 'content-type': headerText(random.text('a/;=" ,*\u00e9', 12)) } : {};
  return {
    method: 'PUT',
    path: `/v1/blobs${storeQuery(random)}`,
    headers,
    body: random.bytes(random.below(200)),
  };
}

function partLike(random: Random): Part {
  if (random.oneIn(3)) {
    const list = random.oneIn(2)
      ? jsonLike(random)
      : [{ identifier: random.pick(['a', 'b', '']), tags: jsonLike(random, 1) }, jsonLike(random, 1)];
    return { name: '_metadata', content: jsonTextLike(random, list) };
  }
  const name = random.pick([
    'a',
    'b',
    'c',
    '',
    ' ',
    'a ',
    'ü',
    '\u0000',
    undefined,
    random.text('ab/%"\r\n', 5),
  ]);
  const headers = random.oneIn(4) ? `${random.text('abc-:; \r\n"', random.below(30))}\r\n` : '';
  return { name, content: random.bytes(random.below(100)), headers };
}

/** A well-formed form, or one with some bytes changed. */
export function quiltCase(random: Random): Case {
  const boundary = random.text("abc-'()+_,./:=?", 1 + random.below(20));
  const form = formOf(
    Array.from({ length: random.below(5) }, () => partLike(random)),
    boundary,
  );
  const body = Buffer.from(form.body);
  const changes = random.oneIn(2) ? 0 : random.below(6);
  for (let change = 0; change < changes; change += 1) body[random.below(body.length)] = random.below(256);
  const cut = random.oneIn(6) ? body.subarray(0, random.below(body.length)) : body;
  const type = random.oneIn(4) ? changed(random, form.contentType) : form.contentType;
  return {
    method: 'PUT',
    path: `/v1/quilts${random.oneIn(3) ? storeQuery(random) : ''}`,
    headers: { 'content-type': headerText(type) },
    body: cut,
  };
}

export function concatCase(random: Random, known: Known): Case {
  const ids = Array.from({ length: random.below(4) }, () => idLike(random, known));
  const body = random.oneIn(2)
    ? { ids, strict_consistency_check: random.pick([null, true, false]) }
    : jsonLike(random);
  const type = random.pick([
    'application/json',
    'application/json',
    'application/x+json; a=b',
    'text/json',
    '',
  ]);
  return {
    method: 'POST',
    path: '/v1alpha/blobs/concat',
    headers: { 'content-type': type },
    body: jsonTextLike(random, body),
  };
}

/**
 * A token with random claims, signed with the right or a wrong secret, or a valid one with one character changed.
 */
export async function tokenCase(random: Random, { tokenSecret = '' }: Secrets): Promise<Case> {
  const now = Math.floor(Date.now() / 1000);
  const claim = (likely: unknown): unknown => (random.oneIn(4) ? jsonLike(random, 1) : likely);
  const claims: Record<string, unknown> = { exp: claim(now + 60), jti: claim(randomUUID()) };
  for (const name of [
    'iat',
    'epochs',
    'max_epochs',
    'size',
    'max_size',
    'send_object_to',
    'aud',
    'nbf',
    'x',
  ]) {
    if (random.oneIn(5)) claims[name] = claim(random.below(5));
  }
  const header = Buffer.from(jsonTextLike(random, { alg: 'HS256', typ: 'JWT' })).toString('base64url');
  const payload = Buffer.from(jsonTextLike(random, claims)).toString('base64url');
  const signed = `${header}.${payload}`;
  const signWith = (key: string) => createHmac('sha256', key).update(signed).digest('base64url');
  const sound = await new SignJWT({ exp: now + 60, jti: randomUUID() })
    .setProtectedHeader({ alg: random.pick(['HS256', 'HS256', 'HS384']) })
    .sign(Buffer.from(tokenSecret || 'x'));
  const token = random.pick([
    sound,
    changed(random, sound),
    `${signed}.${signWith(tokenSecret)}`,
    `${signed}.${signWith(tokenSecret)}`,
    `${signed}.${signWith('another secret')}`,
    random.text('a.=-_ ', random.below(40)),
  ]);
  const scheme = random.pick(['Bearer', 'Bearer', 'bearer', 'Basic', '']);
  return {
    method: 'PUT',
    path: random.pick(['/v1/blobs', '/v1/quilts']) + (random.oneIn(4) ? storeQuery(random) : ''),
    headers: { authorization: headerText(`${scheme} ${token}`) },
    body: random.bytes(random.below(5)),
  };
}

/** Excludes faults and epoch changes, which would make later cases fail. */
export function adminCase(random: Random, known: Known, { adminToken = '' }: Secrets): Case {
  const id = pathText(idLike(random, known));
  const [method, path] = random.pick([
    [
      'GET',
      `/blobs${queryLike(random, { limit: () => numberLike(random), cursor: () => idLike(random, known) })}`,
    ],
    [
      'GET',
      `/objects${queryLike(random, { limit: () => numberLike(random), blob_id: () => idLike(random, known) })}`,
    ],
    ['GET', `/blobs/${id}`],
    ['POST', `/objects/${id}/extend`],
    ['PATCH', `/objects/${id}/attributes`],
    ['DELETE', `/faults/${id}`],
    ['POST', '/faults'],
    ['POST', `/sweep${storeQuery(random)}`],
  ] as const);
  const token = random.oneIn(6) ? changed(random, adminToken) : adminToken;
  return {
    method,
    path: `/admin${path}`,
    headers: { authorization: headerText(`Bearer ${token}`), 'content-type': 'application/json' },
    ...(method === 'GET' ? {} : { body: jsonTextLike(random, jsonLike(random)) }),
  };
}
