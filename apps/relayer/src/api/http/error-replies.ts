import { type FrontPage, frontPageFor } from '@memrelay/process/front-page';
import {
  ApiError,
  type ErrorBody,
  type ErrorCode,
  errorCatalogue,
  type RequestIssue,
} from '@memrelay/protocol/errors';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';

const malformed = (path: string, message: string): [ErrorCode, RequestIssue] => [
  'invalid_request',
  { path, message },
];

/** Maps Fastify's error codes to errors of the catalogue. */
const frameworkErrors: Readonly<Record<string, [ErrorCode, RequestIssue?]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload_too_large'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type'],
  FST_ERR_CTP_INVALID_JSON_BODY: malformed('body', 'must be JSON'),
  FST_ERR_CTP_EMPTY_JSON_BODY: malformed('body', 'must be JSON'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: malformed('content-length', 'must be the length of the body'),
  FST_ERR_BAD_URL: malformed('url', 'is malformed'),
};

/** Fastify checks this before it looks for a route. No route answers QUERY, the method that it requires it for. */
const queryWithoutType = 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE';

function asApiError(error: FastifyError | ApiError | Error): ApiError {
  if (error instanceof ApiError) return error;
  const [code, issue] = ('code' in error ? frameworkErrors[error.code] : undefined) ?? ['internal_error'];
  return new ApiError(code, { cause: error, ...(issue ? { details: { issues: [issue] } } : {}) });
}

export function errorBody(error: ApiError, requestId: string): ErrorBody {
  return {
    error: error.code,
    message: error.message,
    request_id: requestId,
    ...(error.details ? { details: error.details } : {}),
  };
}

/** Returns the error as the client receives it. Unexpected errors and server errors are logged. */
export function reportError(log: Logger, error: Error, request: FastifyRequest): ApiError {
  const known = asApiError(error);
  const fields = { request_id: request.id, route: request.routeOptions.url, code: known.code };
  if (known.code === 'internal_error') log.error({ ...fields, err: error }, 'request failed');
  else if (known.status >= 500) log.warn({ ...fields, err: known.cause ?? error }, 'request refused');
  return known;
}

/** Answers any thrown error with an error body from the catalogue. */
export function errorHandler(log: Logger) {
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (error.code === queryWithoutType) return answerNotFound(request, reply);
    const known = reportError(log, error, request);
    if (known.retryAfter !== undefined) reply.header('retry-after', String(known.retryAfter));
    return reply.code(known.status).send(errorBody(known, request.id));
  };
}

/** Answers requests without a route: a browser at `/` gets a page with links, anything else the error. */
export function notFoundHandler(dashboardUrl: string | undefined) {
  const page: FrontPage = {
    title: 'memrelay relayer',
    about: [
      'This is the API that stores and recalls memories. Programs call it with the SDK, the command or the tools; requests are signed, so there is nothing to see here.',
      ...(dashboardUrl === undefined
        ? []
        : [
            'To see your memories and keys, open the dashboard. On a local system, `npx memrelay pair` prints a link that signs you in.',
          ]),
    ],
    links: [
      ...(dashboardUrl === undefined ? [] : [{ href: dashboardUrl, text: 'The dashboard' }]),
      { href: '/health', text: 'Version and status' },
      { href: '/ready', text: 'State of everything that the relayer needs' },
    ],
  };
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const front = frontPageFor(request, page);
    if (front) return reply.headers(front.headers).send(front.body);
    return answerNotFound(request, reply);
  };
}

/** 405 with `Allow` when the path exists for other methods, else 404. */
export function answerNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const allowed = methodsOf(request.server, request.url);
  const code: ErrorCode = allowed.length > 0 ? 'method_not_allowed' : 'not_found';
  if (allowed.length > 0) reply.header('allow', allowed.join(', '));
  return reply.code(errorCatalogue[code].status).send(errorBody(new ApiError(code), request.id));
}

function methodsOf(app: FastifyInstance, url: string): string[] {
  const path = url.split('?', 1)[0]!;
  return ['GET', 'HEAD', 'POST', 'DELETE'].filter(
    (method) => app.findRoute({ method: method as 'HEAD', url: path }) !== null,
  );
}
