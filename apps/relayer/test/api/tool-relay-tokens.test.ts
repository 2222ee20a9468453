import type { IncomingMessage } from 'node:http';
import { ApiError } from '@memrelay/protocol/errors';
import { toolPaths } from '@memrelay/protocol/tool-server';
import { afterEach, expect, test } from 'vitest';
import { closeRelays, relayInFront } from '../support/relay-in-front.ts';

afterEach(closeRelays);

test('sends the sidecar the key of an access token, never the token', async () => {
  const bearer = { delegateKey: 'ab'.repeat(32), accountId: `0x${'cd'.repeat(32)}` };
  const seen: IncomingMessage['headers'][] = [];
  const { url, logged } = await relayInFront(
    (request, response) => {
      seen.push(request.headers);
      response.writeHead(401, { 'www-authenticate': 'Bearer realm="memrelay"' });
      response.end('{}');
    },
    {
      failuresPerMinute: 4,
      oauth: {
        metadataUrl: 'https://memory.example/about',
        async readBearer(authorization) {
          if (authorization === 'Bearer bad') throw new ApiError('invalid_token');
          return authorization === 'Bearer good' ? bearer : undefined;
        },
      },
    },
  );
  const send = (token: string) =>
    fetch(url + toolPaths.mcp, {
      headers: { authorization: `Bearer ${token}`, 'x-mem-account-id': 'of somebody else' },
    });
  const answer = await send('good');
  expect(seen[0]).toMatchObject({
    authorization: `Bearer ${bearer.delegateKey}`,
    'x-mem-account-id': bearer.accountId,
  });
  expect(answer.headers.get('www-authenticate')).toBe(
    'Bearer realm="memrelay", resource_metadata="https://memory.example/about"',
  );
  await send('a-key-of-the-spec');
  expect(seen[1]).toMatchObject({ authorization: 'Bearer a-key-of-the-spec' });
  const refused = await send('bad');
  expect(refused.status).toBe(401);
  expect(await refused.json()).toMatchObject({ error: { data: { reason: 'invalid_token' } } });
  expect(refused.headers.get('www-authenticate')).toContain(
    'resource_metadata="https://memory.example/about"',
  );
  // Each rejection counts
  expect([(await send('bad')).status, (await send('bad')).status]).toEqual([401, 429]);
  expect(seen).toHaveLength(2);
  for (const secret of ['good', 'a-key-of-the-spec', bearer.delegateKey])
    expect(logged.join('')).not.toContain(secret);
});
