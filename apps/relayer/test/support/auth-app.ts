import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { requirePermission } from '../../src/accounts/require-permission.ts';
import { type AuthOptions, registerAuth } from '../../src/api/auth/register-auth.ts';
import { createApp } from '../../src/api/http/app.ts';
import { loopbackHosts } from './loopback-hosts.ts';

export const silent = pino({ enabled: false });

/** A server with the auth hook and routes that return the authenticated caller. */
export async function startAuthApp(
  options: Omit<AuthOptions, 'log' | 'fallbackAccountId' | 'trustedProxyHops'> & Partial<AuthOptions>,
): Promise<{ url: string; app: FastifyInstance }> {
  const app = createApp({ log: silent, allowedOrigins: [], hosts: loopbackHosts });
  await app.register(async (signed) => {
    registerAuth(signed, { fallbackAccountId: undefined, trustedProxyHops: 0, log: silent, ...options });
    signed.post('/echo', async (request) => ({
      account: request.caller.account.accountId,
      key: request.caller.publicKey,
      address: request.caller.address,
      length: request.rawBody.length,
      body: request.body,
    }));
    signed.get('/echo', async (request) => ({ account: request.caller.account.accountId }));
    signed.post('/small', { bodyLimit: 1_024 }, async () => ({}));
    signed.post('/write', async (request) => {
      requirePermission(request.caller, 'write', new Uint8Array(16).fill(1));
      return {};
    });
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return { url, app };
}
