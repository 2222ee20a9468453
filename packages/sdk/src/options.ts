import { toHex } from '@memrelay/protocol/bytes';
import type { PublicConfig } from '@memrelay/protocol/service-info';
import { authHeaderPatterns } from '@memrelay/protocol/signing';
import { createClock } from './wire/clock.ts';
import { createSessionSource } from './wire/enc-session.ts';
import { MemRelayError } from './wire/errors.ts';
import type { Connection } from './wire/request.ts';
import { createSigner, parsePrivateKey } from './wire/signer.ts';
import type { MemRelayOptions } from './wire/types.ts';

function refuse(message: string): never {
  throw new MemRelayError('invalid_argument', message);
}

/** Checks the options of a client and builds the state shared by its calls. Throws `invalid_argument`. */
export function connect(options: MemRelayOptions): Connection {
  if (!authHeaderPatterns.accountId.test(options.accountId))
    refuse('accountId must be the object id of the account: 0x and 64 hex characters.');
  const signer = createSigner(parsePrivateKey(options.key));
  const clock = createClock();
  return {
    serverUrl: parseServerUrl(options.serverUrl),
    accountId: options.accountId,
    publicKey: toHex(signer.publicKey),
    signer,
    clock,
    sessions: createSessionSource(signer, clock, options.sessionCache),
    // Looked up at each call and called bare: browsers refuse a fetch whose `this` is another object.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    policy: {
      timeoutMs: positive('timeoutMs', options.timeoutMs ?? 30_000),
      deadlineMs: positive('deadlineMs', options.deadlineMs ?? 60_000),
      maxAttempts: positive('maxAttempts', options.maxAttempts ?? 4),
    },
  };
}

/** A package id in the one form that is signed: lower case. Throws `invalid_argument`. */
export function parsePackageId(packageId: string): string {
  if (authHeaderPatterns.accountId.test(packageId)) return packageId.toLowerCase();
  return refuse('packageId must be an object id: 0x and 64 hex characters.');
}

/** The client's package as reported by its relayer. Throws `package_mismatch` if another one is pinned. */
export function pinnedPackage(pinned: string | undefined, config: Pick<PublicConfig, 'packageId'>): string {
  const packageId = pinned ?? parsePackageId(config.packageId);
  if (config.packageId?.toLowerCase() === packageId) return packageId;
  throw new MemRelayError(
    'package_mismatch',
    `The relayer is configured for package ${config.packageId}, this client for ${packageId}. Check serverUrl. If the relayer has really moved to another package, sign in again or change packageId.`,
  );
}

function parseServerUrl(serverUrl: string): string {
  const url = URL.canParse(serverUrl) ? new URL(serverUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash)
    return refuse('serverUrl must be the base URL of a relayer, such as https://relayer.example.');
  return url.href.replace(/\/+$/, '');
}

function positive(name: string, value: number): number {
  return value > 0 ? value : refuse(`${name} must be greater than 0.`);
}

/** Throws `invalid_argument` unless the relayer would accept this key. */
export function checkIdempotencyKey(key: string): string {
  if (/^[!-~]{1,128}$/.test(key)) return key;
  return refuse('idempotencyKey must be 1 to 128 visible ASCII characters.');
}
