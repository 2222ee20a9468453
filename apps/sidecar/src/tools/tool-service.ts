import { ApiError } from '@memrelay/protocol/errors';
import { relayedHeaders } from '@memrelay/protocol/tool-server';
import type { FastifyInstance } from 'fastify';
import { createToolServer } from 'memrelay-mcp/tools/create-tool-server';
import type { FinishedCall } from 'memrelay-mcp/tools/tool-server-options';
import type { Logger } from 'pino';
import { requireSecret } from '../base/require-secret.ts';
import type { AccountStates } from './account-states.ts';
import { createClientMaker } from './client-maker.ts';
import { createCredentialCheck, scopeOf } from './credential.ts';
import { createEventStores } from './event-store.ts';
import { createLegacySessions } from './legacy-sse.ts';
import type { ToolHost } from './open-session.ts';
import type { SessionLimits } from './places.ts';
import { SessionTable } from './session-table.ts';
import { createSessionlessRequests } from './sessionless.ts';
import { createStreamableSessions } from './streamable.ts';
import type { ToolServerFactory } from './tool-caller.ts';
import { toolRoutes } from './tool-routes.ts';
import type { ToolSession } from './tool-session.ts';

/** The tool server's settings from the environment. */
export interface ToolConfig {
  /** MEM_RELAYER_URL */
  relayerUrl: string;
  limits: SessionLimits;
  /** MCP_EXTRA_TOOLS */
  extraTools: boolean;
}

export interface ToolServiceOptions {
  config: ToolConfig;
  /** Shared with the relayer */
  token: string;
  packageId: string;
  accounts: AccountStates;
  log: Logger;
  /** Replaces the memory tools */
  makeServer?: ToolServerFactory;
  /** See `SessionTable`; ms */
  idleMs?: number;
  sweepMs?: number;
}

/** The HTTP tool server: sessions of both transports and sessionless requests. */
export interface ToolService {
  routes(app: FastifyInstance): Promise<void>;
  /** Call when an account changed on chain: its credentials are checked again, and sessions of removed keys end */
  dropAccount(accountId: string): void;
  sessions: SessionTable;
  /** Ends all sessions and streams */
  close(): Promise<void>;
}

export function createToolService(options: ToolServiceOptions): ToolService {
  const { config, accounts, log } = options;
  const events = createEventStores();
  const sessions = new SessionTable({
    limits: config.limits,
    ...(options.idleMs === undefined ? {} : { idleMs: options.idleMs }),
    ...(options.sweepMs === undefined ? {} : { sweepMs: options.sweepMs }),
    onSweep: () => events.sweep(),
  });
  const host: ToolHost = {
    sessions,
    events,
    makeServer: options.makeServer ?? memoryTools(config, log),
    clientMaker: createClientMaker({ relayerUrl: config.relayerUrl, packageId: options.packageId }),
    now: () => performance.now(),
  };
  const sessionless = createSessionlessRequests(host);
  return {
    async routes(app) {
      toolRoutes(app, {
        // The token has its own header here, because `authorization` carries the client's credential
        requireRelayer: requireSecret(relayedHeaders.token, options.token),
        checkCredential: createCredentialCheck({ accounts }),
        streamable: createStreamableSessions(host),
        sessionless,
        legacy: createLegacySessions(host),
        log,
      });
    },
    dropAccount(accountId) {
      accounts.drop(accountId);
      void endRevoked([...sessions.ofAccount(accountId), ...sessionless.ofAccount(accountId)], accounts);
    },
    sessions,
    async close() {
      sessions.close();
      await sessionless.close();
    },
  };
}

/** Ends the sessions and sessionless responses, with their streams, of keys that the account no longer has. */
async function endRevoked(
  opened: readonly Pick<ToolSession, 'accountId' | 'publicKey' | 'close'>[],
  accounts: AccountStates,
): Promise<void> {
  for (const session of opened) {
    try {
      scopeOf(await accounts.account(session.accountId), session.publicKey, Date.now());
    } catch (error) {
      // If the chain is unreachable, the next request checks again
      if (error instanceof ApiError && error.status === 401) session.close();
    }
  }
}

/** The tools of the spec, implemented with the SDK. */
function memoryTools(config: ToolConfig, log: Logger): ToolServerFactory {
  const onCall = ({ tool, outcome, durationMs, error }: FinishedCall): void => {
    // Logs where it failed, but not the error message, which may quote memory text
    if (outcome === 'broken')
      log.error({ tool, ms: Math.round(durationMs), at: stackLinesOf(error) }, 'tool failed unexpectedly');
  };
  return ({ client, namespace }) =>
    createToolServer({
      client,
      namespace,
      extraTools: config.extraTools,
      relayerUrl: config.relayerUrl,
      signIn:
        'Set the Authorization header of this connection to a delegate key that is registered in the account.',
      onCall,
    });
}

function stackLinesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  return [error.name, ...(error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))];
}
