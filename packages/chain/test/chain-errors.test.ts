import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ObjectError, SimulationError } from '@mysten/sui/client';
import { GrpcStatusCode, RpcError } from '@mysten/sui/grpc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAccount } from '../src/account-reader.ts';
import { createChainClient } from '../src/chain-client.ts';
import { ChainRejectedError, ChainUnavailableError, chainError } from '../src/chain-errors.ts';

describe('an error of the chain', () => {
  it.each([
    'UNAVAILABLE',
    'DEADLINE_EXCEEDED',
    'INTERNAL',
    'UNKNOWN',
    'RESOURCE_EXHAUSTED',
    'CANCELLED',
    'ABORTED',
    'UNAUTHENTICATED',
  ])('%s can be retried', (status) => {
    expect(GrpcStatusCode).toHaveProperty(status);
    // The text says the opposite, but must not be used
    expect(chainError(new RpcError('not found: invalid argument', status))).toBeInstanceOf(
      ChainUnavailableError,
    );
  });

  it.each([
    'INVALID_ARGUMENT',
    'NOT_FOUND',
    'FAILED_PRECONDITION',
    'PERMISSION_DENIED',
    'UNIMPLEMENTED',
    'OUT_OF_RANGE',
  ])('%s is final', (status) => {
    expect(chainError(new RpcError('unavailable', status))).toBeInstanceOf(ChainRejectedError);
  });

  it('of a simulated transaction names module and abort code', () => {
    const MoveAbort = { abortCode: '4', location: { module: 'account' } };
    const error = new SimulationError('failed', {
      executionError: { $kind: 'MoveAbort', MoveAbort, message: '' },
    });
    expect(chainError(error)).toMatchObject({
      name: 'ChainRejectedError',
      abort: { module: 'account', code: 4 },
    });
  });

  it('of an object says whether it is missing or could not be read', () => {
    expect(chainError(new ObjectError('x', '', { reason: 'notFound' }))).toBeInstanceOf(ChainRejectedError);
    expect(chainError(new ObjectError('x', '', { reason: 'unknown' }))).toBeInstanceOf(ChainUnavailableError);
  });

  it('that is unknown counts as unavailable, never as a rejection', () => {
    expect(chainError(new TypeError('x'))).toBeInstanceOf(ChainUnavailableError);
    expect(chainError(undefined)).toBeInstanceOf(ChainUnavailableError);
  });
});

describe('a chain client', () => {
  const server = createServer((request, response) => {
    // One path of this server never responds, the other is not that of a node
    if (request.url?.startsWith('/broken')) response.writeHead(500).end('<html>');
  });
  let url: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const ask = (baseUrl: string) =>
    readAccount(
      createChainClient({ network: 'localnet', baseUrl, timeoutMs: 200 }),
      `0x${'11'.repeat(32)}`,
      `0x${'22'.repeat(32)}`,
    );

  it('times out', async () => {
    const before = performance.now();
    await expect(ask(url)).rejects.toBeInstanceOf(ChainUnavailableError);
    expect(performance.now() - before).toBeLessThan(5_000);
  });

  it('is unavailable if nothing listens, or if another server answers', async () => {
    await expect(ask('http://127.0.0.1:1')).rejects.toBeInstanceOf(ChainUnavailableError);
    await expect(ask(`${url}/broken`)).rejects.toBeInstanceOf(ChainUnavailableError);
  });
});
