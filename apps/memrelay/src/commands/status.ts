import type { Account } from '@memrelay/sdk/types';
import { type ConnectOptions, withClient } from '../client/connect.ts';
import { NoRelayerError, readHealth, readReadiness } from '../client/relayer-info.ts';
import { scopeText } from '../client/scope-text.ts';
import { duration } from '../terminal/durations.ts';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import { explain } from '../terminal/explain-error.ts';
import type { Output } from '../terminal/output.ts';
import { columns } from '../terminal/plain-text.ts';

/** Shows the state of the relayer and the account; exits with `unavailable` when something is down. */
export async function status(output: Output, options: ConnectOptions): Promise<void> {
  await withClient(options, async ({ client, serverUrl }) => {
    const [health, ready] = await Promise.all([readHealth(serverUrl), readReadiness(serverUrl)]).catch(
      (error: unknown) => {
        throw unreachable(error);
      },
    );
    // Show the rest even if the account cannot be read.
    const account = await client.account().catch((error: unknown) => explain(error) ?? Promise.reject(error));
    const refused = account instanceof ExitError ? account : undefined;
    const known = account instanceof ExitError ? undefined : account;
    output.result({
      url: serverUrl,
      status: health.body.status,
      version: health.body.version,
      api_version: health.body.apiVersion,
      mode: health.body.mode,
      ...ready,
      ...(known ? { account: accountJson(known) } : {}),
      ...(refused ? { account_error: refused.code } : {}),
    });
    const dependencies = Object.entries(ready.checks).map(([name, { ok, detail }]) => [
      `  ${name.replaceAll('_', ' ')}`,
      `${ok ? 'ok' : 'DOWN'}${detail ? ` (${detail})` : ''}`,
    ]);
    const oldest = ready.oldest_pending_job_seconds;
    const rows = [
      ['Relayer', serverUrl],
      ['Version', `${health.body.version}, API ${health.body.apiVersion}, ${health.body.mode} mode`],
      [
        'Ready',
        ready.ready ? 'yes' : `no${ready.accepts_writes ? ', writes are accepted' : ', writes are refused'}`,
      ],
      ...dependencies,
      ['Oldest pending job', oldest > 0 ? duration(oldest * 1000) : 'none'],
      ...(known ? accountRows(known) : []),
    ];
    for (const line of columns(rows)) output.line(line);
    if (refused) throw refused;
    if (!ready.ready)
      throw new ExitError(
        exitCodes.unavailable,
        output.json
          ? 'The relayer is not ready.'
          : 'Not everything is up. Run `npx memrelay doctor` for the cause.',
      );
  });
}

function unreachable(error: unknown): unknown {
  if (!(error instanceof NoRelayerError)) return error;
  return new ExitError(
    exitCodes.unavailable,
    `${error.message}. Start the local system with \`npx memrelay up\`, or name another relayer with --server URL.`,
    { code: 'network_error', cause: error },
  );
}

function accountJson(account: Account) {
  const { owner, accountId, keyEpoch, active, delegate } = account;
  return {
    owner,
    account_id: accountId,
    key_epoch: keyEpoch,
    active,
    delegate: { label: delegate.label, perms: delegate.scope.perms },
  };
}

function accountRows(account: Account): string[][] {
  const { delegate } = account;
  return [
    ['Account', account.accountId],
    ['Owner', account.owner],
    ['Key epoch', String(account.keyEpoch)],
    ['Active', account.active ? 'yes' : 'no'],
    ['This key', `${delegate.label}: ${scopeText(account)}`],
  ];
}
