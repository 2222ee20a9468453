import { timingSafeEqual } from 'node:crypto';
import type { FastifyError, FastifyPluginAsync, FastifyReply } from 'fastify';
import { isAddress } from '../rpc/addresses.ts';
import type { Sponsor } from './sponsor.ts';
import { SponsorError } from './sponsor-error.ts';

/** Path of the API below the network's address, as in `SPONSOR_API_URL`. */
export const sponsorPath = '/sponsor';

interface SponsorBody {
  transactionBlockKindBytes?: unknown;
  sender?: unknown;
  allowedAddresses?: unknown;
  allowedMoveCallTargets?: unknown;
}

/**
 * The two routes of Enoki's sponsor API, `POST /v1/transaction-blocks/sponsor` and `…/sponsor/{digest}`, with its
 * responses (`{data}`) and errors (`{errors}`). Every call requires `Authorization: Bearer <apiKey>`.
 */
export function sponsorRoutes(sponsor: Sponsor, apiKey: string): FastifyPluginAsync {
  const expected = Buffer.from(`Bearer ${apiKey}`);
  return async (app) => {
    app.addHook('onRequest', async (request) => {
      const authorization = Buffer.from(request.headers.authorization ?? '');
      if (authorization.length !== expected.length || !timingSafeEqual(authorization, expected))
        throw new SponsorError(401, 'unauthorized', 'Invalid API key');
    });
    app.setErrorHandler<FastifyError>((error, request, reply) => {
      if (error instanceof SponsorError) return refuse(reply, error);
      const status = error.statusCode ?? 500;
      if (status < 500) return refuse(reply, new SponsorError(status, 'invalid_request', error.message));
      request.log.error({ err: error }, 'sponsoring failed');
      return refuse(reply, new SponsorError(500, 'internal_error', 'internal error; see the server log'));
    });
    app.post<{ Body: SponsorBody | null }>('/v1/transaction-blocks/sponsor', async (request) => {
      const { transactionBlockKindBytes, sender, allowedAddresses, allowedMoveCallTargets } =
        request.body ?? {};
      if (typeof transactionBlockKindBytes !== 'string' || !isAddress(sender))
        throw invalid('transactionBlockKindBytes and sender are required');
      const { bytes, digest } = await sponsor.sponsor({
        kind: Buffer.from(transactionBlockKindBytes, 'base64'),
        sender,
        allowedAddresses: stringsOf(allowedAddresses, 'allowedAddresses') ?? [],
        allowedTargets: stringsOf(allowedMoveCallTargets, 'allowedMoveCallTargets'),
      });
      return { data: { bytes: Buffer.from(bytes).toString('base64'), digest } };
    });
    app.post<{ Params: { digest: string }; Body: { signature?: unknown } | null }>(
      '/v1/transaction-blocks/sponsor/:digest',
      async (request) => {
        const signature = request.body?.signature;
        if (typeof signature !== 'string') throw invalid('signature is required');
        return { data: { digest: await sponsor.execute(request.params.digest, signature) } };
      },
    );
  };
}

function invalid(message: string): SponsorError {
  return new SponsorError(400, 'invalid_request', message);
}

function stringsOf(value: unknown, name: string): string[] | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw invalid(`${name} must be a list of strings`);
}

function refuse(reply: FastifyReply, { status, code, message }: SponsorError): FastifyReply {
  return reply.code(status).send({ errors: [{ code, message }] });
}
