import { randomBytes, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import type { Answer } from '../exchange.ts';
import { expectAnswer } from '../expectations.ts';
import { formOf } from '../form.ts';
import { publisherAuth, refused } from '../refused.ts';
import { section } from '../row.ts';
import type { Session } from '../session.ts';

const { rows, row } = section('§2 tokens', ['tokens']);

const address = `0x${'ab'.repeat(32)}`;

function nowSec(): number {
  return Math.floor(Date.now() / 1000);
}

function sign(claims: Record<string, unknown>, secret: string, alg = 'HS256'): Promise<string> {
  return new SignJWT({ exp: nowSec() + 60, jti: randomUUID(), ...claims })
    .setProtectedHeader({ alg })
    .sign(Buffer.from(secret));
}

/** Stores three bytes with these claims. */
async function putWith(session: Session, claims: Record<string, unknown>, query = ''): Promise<Answer> {
  return putToken(session, await sign(claims, session.targets.tokens!.secret), query);
}

function putToken(session: Session, token: string | undefined, query = ''): Promise<Answer> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const request = { method: 'PUT', headers, body: 'xyz' };
  return session.at(session.targets.tokens!.publisher, `/v1/blobs${query}`, request);
}

row('a missing token and another authorization scheme are 400, not 401', async (session) => {
  const basic = { method: 'PUT', headers: { authorization: 'Basic eDp5' }, body: 'x' };
  for (const answer of [
    await putToken(session, undefined),
    await session.at(session.targets.tokens!.publisher, '/v1/blobs', basic),
  ]) {
    expectAnswer(answer, { status: 400 });
    if (session.ours) refused(answer, 400, 'MISSING_TOKEN', publisherAuth);
  }
});

const future = (seconds: number): number => nowSec() + seconds;

for (const [what, claims, query] of [
  ['only the required claims', () => ({}), ''],
  ['one that ended within the leeway', () => ({ exp: future(-50) }), ''],
  ['nbf in the future', () => ({ nbf: future(1000) }), ''],
  ['the requested epochs', () => ({ epochs: 2 }), '?epochs=2'],
  ['max_epochs equal to the requested epochs', () => ({ max_epochs: 2 }), '?epochs=2'],
  ['the right size', () => ({ size: 3 }), ''],
  ['max_size equal to the size', () => ({ max_size: 3 }), ''],
  ['the requested receiver', () => ({ send_object_to: address }), `?send_object_to=${address}`],
  ['a receiver that the token does not name', () => ({}), `?send_object_to=${address}`],
] as const) {
  row(`a token with ${what} is accepted`, async (session) => {
    expectAnswer(await putWith(session, claims(), query), { status: 200 });
  });
}

for (const [what, claims, query, status, reason] of [
  ['exp in the past', () => ({ exp: future(-100) }), '', 504, 'EXPIRED_SIGNATURE'],
  ['no exp', () => ({ exp: undefined }), '', 400, 'INVALID_TOKEN'],
  ['no jti', () => ({ jti: undefined }), '', 400, 'INVALID_TOKEN'],
  ['an audience', () => ({ aud: 'someone' }), '', 400, 'INVALID_TOKEN'],
  ['exp that is not a valid time', () => ({ exp: 1e15 }), '', 400, 'INVALID_TIMESTAMP'],
  ['size and max_size', () => ({ size: 3, max_size: 3 }), '', 400, 'INCONSISTENT_TOKEN'],
  ['epochs and max_epochs', () => ({ epochs: 1, max_epochs: 1 }), '', 400, 'INCONSISTENT_TOKEN'],
  ['another number of epochs', () => ({ epochs: 2 }), '?epochs=3', 400, 'INVALID_EPOCHS'],
  ['max_epochs below the requested epochs', () => ({ max_epochs: 2 }), '?epochs=3', 400, 'INVALID_EPOCHS'],
  ['another size', () => ({ size: 4 }), '', 400, 'INVALID_SIZE'],
  ['max_size below the size', () => ({ max_size: 2 }), '', 400, 'INVALID_SIZE'],
  [
    'a receiver that the query does not name',
    () => ({ send_object_to: address }),
    '',
    400,
    'INVALID_SEND_OBJECT_TO',
  ],
] as const) {
  row(`a token with ${what} is ${status} ${reason}`, async (session) => {
    refused(await putWith(session, claims(), query), status, reason, publisherAuth);
  });
}

row('another secret is 401; another algorithm or an invalid token is 400', async (session) => {
  const { secret } = session.targets.tokens!;
  const stranger = await sign({}, randomBytes(32).toString('hex'));
  refused(await putToken(session, stranger), 401, 'INVALID_SIGNATURE', publisherAuth);
  const other = await sign({}, secret, 'HS512');
  refused(await putToken(session, other), 400, 'INVALID_TOKEN', publisherAuth);
  refused(await putToken(session, 'a.b.c'), 400, 'INVALID_TOKEN', publisherAuth);
});

row('a token is valid for one store', async (session) => {
  const jti = randomUUID();
  expectAnswer(await putWith(session, { jti }), { status: 200 });
  refused(await putWith(session, { jti }), 429, 'TOKEN_ALREADY_USED', publisherAuth);
});

row('a rejected store does not use up its token', async (session) => {
  const token = await sign({ epochs: 2 }, session.targets.tokens!.secret);
  refused(await putToken(session, token), 400, 'INVALID_EPOCHS', publisherAuth);
  expectAnswer(await putToken(session, token, '?epochs=2'), { status: 200 });
});

row('size is compared with the packed quilt, after its token has been used up', async (session) => {
  const { publisher, secret } = session.targets.tokens!;
  const { contentType, body } = formOf([{ name: 'a', content: 'x' }]);
  const token = await sign({ max_size: body.byteLength }, secret);
  const headers = { authorization: `Bearer ${token}`, 'content-type': contentType };
  const request = { method: 'PUT', headers, body };
  refused(await session.at(publisher, '/v1/quilts', request), 400, 'INVALID_SIZE', publisherAuth);
  refused(await session.at(publisher, '/v1/quilts', request), 429, 'TOKEN_ALREADY_USED', publisherAuth);
});

row('quilts need a token as well', async (session) => {
  const { publisher, secret } = session.targets.tokens!;
  const put = (token?: string) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return session.at(publisher, '/v1/quilts', { method: 'PUT', headers, body: 'x' });
  };
  expectAnswer(await put(), { status: 400 });
  refused(await put(await sign({}, 'x')), 401, 'INVALID_SIGNATURE', publisherAuth);
  refused(await put(await sign({ exp: 1 }, secret)), 504, 'EXPIRED_SIGNATURE', publisherAuth);
});

const unasked = section('§2 tokens', ['publisher']);
const bearer = { method: 'PUT', headers: { authorization: 'Bearer something' }, body: 'x' };

unasked.ours('an invalid bearer token is 400 if no token is required', async ({ publisher }) => {
  refused(await publisher('/v1/blobs', bearer), 400, 'INVALID_TOKEN', publisherAuth);
});

unasked.walrus('an invalid bearer token is 500 if no token is required', async ({ publisher }) => {
  refused(await publisher('/v1/blobs', bearer), 500, 'INTERNAL_ERROR', publisherAuth);
});

export const tokenRows = [...rows, ...unasked.rows];
