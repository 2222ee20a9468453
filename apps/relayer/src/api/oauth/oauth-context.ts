import { indexKey } from '@memrelay/envelope/at-rest';
import { toolPaths } from '@memrelay/protocol/tool-server';
import type { AccountDirectory } from '../../accounts/account-directory.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { Db } from '../../base/db/db.ts';
import type { SidecarClient } from '../../sidecar/sidecar-client.ts';
import { type Clients, createClients } from './clients.ts';
import { createSealedValues, type SealedValues } from './sealed-value.ts';

/** The public addresses of this relayer and its consent page. */
export interface OAuthConfig {
  /** PUBLIC_RELAYER_URL: an origin, used as the issuer */
  issuer: string;
  /** PUBLIC_DASHBOARD_URL, without a trailing slash */
  dashboardUrl: string;
}

/** Dependencies shared by the parts of the authorization server. */
export interface OAuthContext {
  config: OAuthConfig;
  /** The tool server's address: the resource that tokens are issued for (RFC 8707) */
  resource: string;
  db: Db;
  audit: Pick<AuditLog, 'append'>;
  accounts: Pick<AccountDirectory, 'account'>;
  sidecar: Pick<SidecarClient, 'makeDelegateKey'>;
  clients: Clients;
  sealed: SealedValues;
  /** Required to open any token */
  pepper: Uint8Array;
  /** Unix time in ms */
  now: () => number;
}

export function createOAuthContext(
  parts: Pick<OAuthContext, 'config' | 'db' | 'audit' | 'accounts' | 'sidecar'> & {
    /** MEM_INDEX_KEY */
    key: Uint8Array;
    now?: () => number;
  },
): OAuthContext {
  const { config, db, audit, accounts, sidecar, key, now = Date.now } = parts;
  // The keys depend on the issuer, so tokens issued by another relayer are invalid here
  const sealed = createSealedValues(indexKey(key, 'oauth-value', '', config.issuer));
  return {
    config,
    resource: `${config.issuer}${toolPaths.mcp}`,
    db,
    audit,
    accounts,
    sidecar,
    clients: createClients(sealed),
    sealed,
    pepper: indexKey(key, 'oauth-token', '', config.issuer),
    now,
  };
}
