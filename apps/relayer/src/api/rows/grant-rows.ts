import type { GrantScope } from '@memrelay/protocol/oauth';
import { z } from 'zod';
import type { Db, Queryable } from '../../base/db/db.ts';
import { bytesToAddress, hexToBytes } from '../../base/db/hex.ts';
import {
  type GrantTerms,
  newToken,
  openForToken,
  sealForToken,
  type Token,
  type TokenKind,
  tokenText,
} from '../oauth/token-seal.ts';

const noKey = Buffer.alloc(0);

/** A token with the correct secret and an untampered row. */
export interface OpenedToken {
  token: Token;
  terms: GrantTerms;
  /** 64 hex digits */
  publicKey: string;
  scope: GrantScope;
  /** Already used; the token then no longer contains the key */
  used: boolean;
  /** Unix time in ms */
  expiresAtMs: number;
  /** 32 bytes */
  delegateKey: Buffer;
}

const grantScope = z.object({
  perms: z.number(),
  allNamespaces: z.boolean(),
  tags: z.array(z.string()),
  expiresAtMs: z.string(),
});

/** The canonical JSON of a scope. */
export function scopeText({ perms, allNamespaces, tags, expiresAtMs }: GrantScope): string {
  return JSON.stringify({ perms, allNamespaces, tags: [...new Set(tags)].sort(), expiresAtMs });
}

export async function insertGrant(tx: Queryable, terms: GrantTerms, publicKey: string): Promise<void> {
  const { expiresAtMs } = grantScope.parse(JSON.parse(terms.scope));
  await tx.query(
    `INSERT INTO oauth_grant (id, client, redirect_uri, code_challenge, resource, account_id, public_key, scope, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      terms.grantId,
      terms.client,
      terms.redirectUri,
      terms.codeChallenge,
      terms.resource,
      terms.accountId === undefined ? null : hexToBytes(terms.accountId),
      hexToBytes(publicKey),
      terms.scope,
      new Date(Number(expiresAtMs)),
    ],
  );
}

/** Sets the account of a grant whose account was created together with the key. */
export async function setAccount(tx: Queryable, { grantId, accountId }: GrantTerms): Promise<void> {
  await tx.query('UPDATE oauth_grant SET account_id = $2 WHERE id = $1', [grantId, hexToBytes(accountId!)]);
}

/** Inserts a new token of a grant, with the key sealed under the token's secret. Returns the token's text. */
export async function insertToken(
  tx: Queryable,
  pepper: Uint8Array,
  kind: TokenKind,
  grant: { terms: GrantTerms; delegateKey: Buffer; expiresAtMs: number },
): Promise<string> {
  const token = newToken(kind);
  const { terms, delegateKey, expiresAtMs } = grant;
  await tx.query(
    'INSERT INTO oauth_token (id, grant_id, kind, sealed, expires_at) VALUES ($1, $2, $3, $4, $5)',
    [
      token.id,
      terms.grantId,
      kind,
      sealForToken(pepper, token, terms, expiresAtMs, delegateKey),
      new Date(expiresAtMs),
    ],
  );
  return tokenText(token);
}

/** Marks a token as used and removes its key. The row stays, so that a second use is distinguishable from a guess. */
export async function spend(tx: Queryable, pepper: Uint8Array, opened: OpenedToken): Promise<void> {
  const { token, terms, expiresAtMs } = opened;
  await tx.query('UPDATE oauth_token SET used = true, sealed = $2 WHERE id = $1', [
    token.id,
    sealForToken(pepper, token, terms, expiresAtMs, noKey),
  ]);
}

/** Deletes a grant with all its tokens, which contain the only copies of its key. False if it was deleted before. */
export async function deleteGrant(tx: Queryable, grantId: string): Promise<boolean> {
  const { rowCount } = await tx.query('DELETE FROM oauth_grant WHERE id = $1', [grantId]);
  return rowCount > 0;
}

/**
 * Opens a token; undefined when its row does not exist, the secret is wrong, or the row was tampered with. `lock` locks
 * the grant until the transaction ends, so that tokens of one grant are used one after the other.
 */
export async function openToken(
  tx: Queryable,
  pepper: Uint8Array,
  token: Token,
  lock: 'lock' | 'look',
): Promise<OpenedToken | undefined> {
  if (lock === 'lock')
    await tx.query(
      'SELECT 1 FROM oauth_grant WHERE id = (SELECT grant_id FROM oauth_token WHERE id = $1) FOR UPDATE',
      [token.id],
    );
  const { rows } = await tx.query<TokenRow>(
    `SELECT t.sealed, t.used, t.expires_at, g.id AS grant_id, g.client, g.redirect_uri, g.code_challenge, g.resource,
            g.account_id, g.public_key, g.scope
     FROM oauth_token t JOIN oauth_grant g ON g.id = t.grant_id WHERE t.id = $1 AND t.kind = $2`,
    [token.id, token.kind],
  );
  const row = rows[0];
  if (!row) return undefined;
  const terms: GrantTerms = {
    grantId: row.grant_id,
    client: row.client,
    redirectUri: row.redirect_uri,
    codeChallenge: row.code_challenge,
    resource: row.resource,
    accountId: row.account_id ? bytesToAddress(Buffer.from(row.account_id)) : undefined,
    scope: row.scope,
  };
  const expiresAtMs = row.expires_at.getTime();
  const delegateKey = openForToken(pepper, token, terms, expiresAtMs, Buffer.from(row.sealed));
  if (!delegateKey) return undefined;
  return {
    token,
    terms,
    publicKey: Buffer.from(row.public_key).toString('hex'),
    scope: grantScope.parse(JSON.parse(row.scope)),
    used: row.used || delegateKey.length === 0,
    expiresAtMs,
    delegateKey,
  };
}

interface TokenRow {
  sealed: Buffer;
  used: boolean;
  expires_at: Date;
  grant_id: string;
  client: string;
  redirect_uri: string;
  code_challenge: string;
  resource: string;
  account_id: Buffer | null;
  public_key: Buffer;
  scope: string;
}

/** Deletes expired grants, tokens one day after their expiry, and grants without a usable token. */
export async function pruneGrants(db: Db, nowMs: number): Promise<void> {
  const now = new Date(nowMs);
  await db.query('DELETE FROM oauth_grant WHERE expires_at <= $1', [now]);
  await db.query(
    `DELETE FROM oauth_grant g WHERE NOT EXISTS
       (SELECT 1 FROM oauth_token t WHERE t.grant_id = g.id AND NOT t.used AND t.expires_at > $1)`,
    [now],
  );
  // Kept for a day, so that a second use of a code is distinguishable from a guess
  await db.query("DELETE FROM oauth_token WHERE expires_at <= $1::timestamptz - interval '1 day'", [now]);
}
