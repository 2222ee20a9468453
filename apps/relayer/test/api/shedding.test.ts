import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { registerAuth } from '../../src/api/auth/register-auth.ts';
import { errorHandler } from '../../src/api/http/error-replies.ts';
import { route } from '../../src/api/http/route.ts';
import { createRequestBounds, refuseOverdue } from '../../src/api/limits/request-bounds.ts';
import { silent } from '../support/auth-app.ts';
import { testKey } from '../support/localnet-process.ts';
import { call } from '../support/signed-request.ts';

const [key, other] = [testKey(), testKey()];
const accountId = `0x${'ab'.repeat(32)}`;
let app: FastifyInstance;
let url: string;
/** The key whose requests have waited too long */
let overdue: string | undefined;
let nonces: number;

beforeEach(async () => {
  overdue = key.publicKey;
  nonces = 0;
  app = Fastify();
  app.setErrorHandler(errorHandler(silent));
  const account = {
    accountId,
    active: true,
    delegates: [key, other].map(({ publicKey }) => ({ publicKey })),
  };
  const storing = { ...createRequestBounds().storing, isOverdue: (name: string) => name === overdue };
  await app.register(async (signed) => {
    registerAuth(signed, {
      accounts: { accountWith: async () => account, onChange: () => undefined } as never,
      nonces: {
        async remember() {
          nonces += 1;
          return 'fresh';
        },
      } as never,
      fallbackAccountId: undefined,
      trustedProxyHops: 0,
      failuresPerMinute: 1,
      log: silent,
      refuseEarly: refuseOverdue({ ...createRequestBounds(), storing }),
    });
    signed.post('/store', route({ auth: 'signature', scope: [], cost: 5, sheds: true }), async () => ({}));
    signed.post('/status', route({ auth: 'signature', scope: [], cost: 0 }), async () => ({}));
  });
  url = await app.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(() => app.close());

const post = (path: string, from = key) => call(url, from, { path, accountId, body: '{}' });

test('a key whose requests have waited too long is refused, before its nonce is recorded', async () => {
  for (let i = 0; i < 3; i++) {
    const { status, body, headers } = await post('/store');
    expect([status, body.error, headers['retry-after']]).toEqual([503, 'overloaded', '1']);
  }
  expect(nonces).toBe(0);
  // Refusals did not use up the budget of the address
  overdue = undefined;
  expect((await post('/store')).status).toBe(200);
});

test('other keys and polling are served in the meantime', async () => {
  expect((await post('/store', other)).status).toBe(200);
  expect((await post('/status')).status).toBe(200);
});
