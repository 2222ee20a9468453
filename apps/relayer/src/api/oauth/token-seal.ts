import { hkdfSync, randomBytes } from 'node:crypto';
import { openBytes, sealBytes } from '../../base/sealed-bytes.ts';

/** `ticket`: held by the consent page from the creation of a key until its registration. */
export type TokenKind = 'ticket' | 'code' | 'access' | 'refresh';

const prefixes: Readonly<Record<TokenKind, string>> = {
  ticket: 'mrct_',
  code: 'mrac_',
  access: 'mrat_',
  refresh: 'mrrt_',
};
const idLength = 16;
const secretLength = 32;

/** A token as its holder has it: the id of its row, and the secret that opens it. */
export interface Token {
  kind: TokenKind;
  /** 16 bytes */
  id: Buffer;
  /** 32 bytes; exists only in the token */
  secret: Buffer;
}

export function newToken(kind: TokenKind): Token {
  return { kind, id: randomBytes(idLength), secret: randomBytes(secretLength) };
}

export function tokenText({ kind, id, secret }: Token): string {
  return `${prefixes[kind]}${Buffer.concat([id, secret]).toString('base64url')}`;
}

/** Parses a token; undefined if the text is not a token of this kind. */
export function parseToken(kind: TokenKind, text: string): Token | undefined {
  const prefix = prefixes[kind];
  // 48 bytes are exactly 64 base64url characters, without unused bits
  if (!text.startsWith(prefix) || !/^[A-Za-z0-9_-]{64}$/.test(text.slice(prefix.length))) return undefined;
  const bytes = Buffer.from(text.slice(prefix.length), 'base64url');
  return { kind, id: bytes.subarray(0, idLength), secret: bytes.subarray(idLength) };
}

/** What a grant was given for. A key sealed under one set of terms does not open under another. */
export interface GrantTerms {
  grantId: string;
  /** `OAuthClient.fingerprint` */
  client: string;
  redirectUri: string;
  codeChallenge: string;
  resource: string;
  /** Undefined until the account is created */
  accountId: string | undefined;
  /** JSON of `GrantScope`, including its expiry */
  scope: string;
}

/**
 * Seals a delegate key, or nothing, under a token's secret. Opening it needs both the token and the pepper: an attacker
 * with the database lacks the secrets, and one with a token lacks the pepper.
 *
 * @param expiresAtMs when the token expires, Unix time
 */
export function sealForToken(
  pepper: Uint8Array,
  token: Token,
  terms: GrantTerms,
  expiresAtMs: number,
  key: Uint8Array,
): Buffer {
  return sealBytes(rowKey(pepper, token), additionalData(token, terms, expiresAtMs), key);
}

/** Opens the sealed key; undefined if secret, row, terms or expiry differ from those it was sealed with. */
export function openForToken(
  pepper: Uint8Array,
  token: Token,
  terms: GrantTerms,
  expiresAtMs: number,
  sealed: Buffer,
): Buffer | undefined {
  return openBytes(rowKey(pepper, token), additionalData(token, terms, expiresAtMs), sealed);
}

function rowKey(pepper: Uint8Array, { kind, id, secret }: Token): Uint8Array {
  const info = Buffer.concat([Buffer.from(`memrelay-oauth-v1 ${kind} `), id]);
  return new Uint8Array(hkdfSync('sha256', secret, pepper, info, 32));
}

/** A JSON list, so that different terms never produce the same bytes. */
function additionalData({ kind, id }: Token, terms: GrantTerms, expiresAtMs: number): Buffer {
  const { grantId, client, redirectUri, codeChallenge, resource, accountId, scope } = terms;
  return Buffer.from(
    JSON.stringify([
      kind,
      id.toString('hex'),
      grantId,
      client,
      redirectUri,
      codeChallenge,
      resource,
      accountId ?? null,
      scope,
      expiresAtMs,
    ]),
  );
}
