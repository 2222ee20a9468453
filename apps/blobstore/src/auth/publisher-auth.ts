import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { Logger } from 'pino';
import { parseStoreQuery } from '../http/store-query.ts';
import { failedPrecondition } from './auth-error.ts';
import { checkSize, checkUpload, type UploadRules } from './check-upload.ts';
import { leewaySec, readToken } from './read-token.ts';
import { createReplayCache, type ReplayCacheOptions } from './replay-cache.ts';
import type { TokenKey } from './token-key.ts';
import type { UploadClaims } from './upload-claims.ts';

/** The publisher's token requirements; without these settings it accepts stores from anyone. */
export interface AuthSettings extends UploadRules {
  /** Without it tokens are read but not verified, which only fits a store behind a gateway */
  key?: TokenKey;
  cache: ReplayCacheOptions;
}

/** The token layer of the routes that store. */
export interface PublisherAuth {
  /** Runs before the concurrency limits, so that even a busy publisher reports a missing permission. */
  authorize: onRequestAsyncHookHandler;
  /**
   * Call this with the number of bytes to be stored (of a quilt: as packed), once it is known. Throws 400 when the
   * request came with a token for another size, even if no token is required.
   */
  checkStoredSize(request: FastifyRequest, bytes: number): void;
}

/** The token of an `Authorization: Bearer` header. */
function bearerOf({ headers }: FastifyRequest): string | undefined {
  return /^bearer +(.*)$/i.exec(headers.authorization ?? '')?.[1];
}

function announcedBytes({ headers }: FastifyRequest): number | undefined {
  return headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
}

export function createPublisherAuth(settings: AuthSettings | undefined, logger: Logger): PublisherAuth {
  if (settings !== undefined && settings.key === undefined) {
    logger.warn(
      'store tokens are read but not verified, which is only safe behind a gateway that verifies them. Otherwise set ' +
        'BLOBSTORE_JWT_DECODE_SECRET',
    );
  }
  const tokens = new WeakMap<FastifyRequest, UploadClaims>();
  const authorize = settings === undefined ? undefined : createAuthorize(settings);

  return {
    async authorize(request) {
      const token = bearerOf(request);
      if (authorize !== undefined) tokens.set(request, await authorize(request, token));
      else if (token !== undefined) tokens.set(request, await readToken(token, undefined));
    },
    checkStoredSize(request, bytes) {
      const claims = tokens.get(request);
      if (claims !== undefined) checkSize(claims, bytes);
    },
  };
}

function createAuthorize(settings: AuthSettings) {
  const used = createReplayCache(settings.cache);

  return async (request: FastifyRequest, token: string | undefined): Promise<UploadClaims> => {
    if (token === undefined) {
      throw failedPrecondition('MISSING_TOKEN', 'a store needs a token: Authorization: Bearer <JWT>');
    }
    const claims = await readToken(token, settings.key);
    // An invalid query leaves the token unused.
    const query = parseStoreQuery(request.url);
    // Remembered for as long as the token would be accepted: until its expiry alone, it could be reused within the
    // leeway.
    used.add(claims.jti, (claims.exp + leewaySec) * 1000);
    try {
      checkUpload(claims, settings, query, announcedBytes(request));
    } catch (error) {
      used.remove(claims.jti);
      throw error;
    }
    return claims;
  };
}
