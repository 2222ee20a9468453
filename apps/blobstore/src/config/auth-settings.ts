import type { AuthSettings } from '../auth/publisher-auth.ts';
import { type TokenAlgorithm, type TokenKey, tokenAlgorithms, tokenKeyOf } from '../auth/token-key.ts';
import type { Settings } from './settings.ts';

const defaultCacheSize = 10_000;
const defaultRefreshMs = 5000;

function keyOf(settings: Settings, algorithm: TokenAlgorithm): TokenKey | undefined {
  const secret = settings.text('jwt-decode-secret');
  if (secret === undefined) return undefined;
  try {
    return tokenKeyOf(algorithm, secret);
  } catch (error) {
    settings.problem(`BLOBSTORE_JWT_DECODE_SECRET (--jwt-decode-secret): ${(error as Error).message}`);
    return undefined;
  }
}

/** Tokens are required if any of the three settings is present that make the real publisher require them. */
export function authSettingsOf(settings: Settings): AuthSettings | undefined {
  const algorithm = settings.checked('jwt-algorithm', (text) =>
    tokenAlgorithms.some((name) => name === text) ? undefined : `one of ${tokenAlgorithms.join(', ')}`,
  );
  const key = keyOf(settings, (algorithm ?? 'HS256') as TokenAlgorithm);
  const auth: AuthSettings = {
    ...(key === undefined ? {} : { key }),
    expiringSec: settings.number('jwt-expiring-sec', 0, 0, 1e12),
    verifyUpload: settings.on('jwt-verify-upload'),
    cache: {
      size: settings.number('jwt-cache-size', defaultCacheSize, 1, 1e8),
      refreshIntervalMs: settings.duration('jwt-cache-refresh-interval') ?? defaultRefreshMs,
    },
  };
  const asked = settings.has('jwt-decode-secret') || auth.expiringSec > 0 || auth.verifyUpload;
  return asked ? auth : undefined;
}
