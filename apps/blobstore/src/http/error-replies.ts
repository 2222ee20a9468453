import { METHODS } from 'node:http';
import { type FrontPage, frontPageFor } from '@memrelay/process/front-page';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  ApiError,
  blobUnavailable,
  errorBody,
  internalError,
  malformedRequest,
  methodNotAllowed,
  storageFull,
  storeLimitReached,
  unknownRoute,
} from '../base/api-error.ts';
import { StorageFullError, StorageUnavailableError, StoreLimitError } from '../storage/storage.ts';
import { fromRegistry } from './registry-errors.ts';
import { replyJson } from './reply-json.ts';

/** The methods that a path can have: every path supports OPTIONS, and none supports CONNECT. */
const allMethods = METHODS.filter((name) => name !== 'OPTIONS' && name !== 'CONNECT');

const frontPage: FrontPage = {
  title: 'memrelay blob store',
  about: [
    'This is a Walrus publisher and aggregator. Programs store blobs here with `PUT /v1/blobs` and read them with `GET /v1/blobs/ID`. Memories are stored as encrypted blobs.',
    'To see your memories, open the dashboard: `npx memrelay pair` prints a link.',
  ],
  links: [
    { href: '/v1/api', text: 'The API' },
    { href: '/status', text: 'Status' },
  ],
};

/** Responds to any error with the envelope. An unknown error becomes a 500 without its original text. */
export function replyError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known =
    error instanceof ApiError ? error : (fromStorage(error) ?? fromRegistry(error) ?? fromFramework(error));
  const { httpStatus, headers, ofTheClient } = known.fields;
  if (httpStatus >= 500 && ofTheClient !== true) request.log.error({ err: known }, 'request failed');
  reply.code(httpStatus).headers(headers ?? {});
  return replyJson(reply, errorBody(known, request.id));
}

function fromStorage(error: unknown): ApiError | undefined {
  if (error instanceof StorageUnavailableError) return blobUnavailable(error);
  if (error instanceof StoreLimitError) return storeLimitReached(error.limitBytes);
  return error instanceof StorageFullError ? storageFull(error) : undefined;
}

/** Rejections by Fastify itself, for example of a path with a malformed escape, have a status below 500. */
function fromFramework(error: unknown): ApiError {
  const statusCode = (error as { statusCode?: number }).statusCode ?? 500;
  return statusCode < 500 ? malformedRequest('the request could not be understood') : internalError(error);
}

export function addErrorReplies(app: FastifyInstance): void {
  app.setErrorHandler(replyError);
  app.setNotFoundHandler((request, reply) => {
    const front = frontPageFor(request, frontPage);
    if (front) return reply.headers(front.headers).send(front.body);
    return replyError(unknownRoute(), request, reply);
  });
}

/**
 * Routes every method and records which ones each path has, so that `refuseOtherMethods` can reject the others. Call
 * before the routes.
 */
export function collectMethods(app: FastifyInstance): Map<string, Set<string>> {
  for (const name of allMethods) if (!app.supportedMethods.includes(name)) app.addHttpMethod(name);
  const methods = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url) ?? new Set();
    for (const name of [method].flat()) known.add(name);
    methods.set(url, known);
  });
  return methods;
}

/** Responds to every other method of the known paths with 405 and `Allow`. Call after the routes. */
export function refuseOtherMethods(app: FastifyInstance, methods: Map<string, Set<string>>): void {
  for (const [url, known] of [...methods]) {
    const allow = allMethods.filter((name) => known.has(name)).join(',');
    const refuse = async () => {
      throw methodNotAllowed(allow);
    };
    // Runs before the body is parsed, because its type does not matter here.
    const method = allMethods.filter((name) => !known.has(name));
    app.route({ method, url, onRequest: refuse, handler: refuse });
  }
}
