import { dataDir } from '@memrelay/sdk/data-dir-node';
import type { ConnectOptions } from '../client/connect.ts';
import {
  accepted,
  credentials,
  embedder,
  pinnedPackage,
  presentKeyServers,
  recallWorks,
  roundTrip,
  scope,
} from '../doctor/account-checks.ts';
import type { Check, Finding, SystemFacts } from '../doctor/check.ts';
import { dashboard } from '../doctor/dashboard-check.ts';
import { dataDirectory, nodeVersion } from '../doctor/machine-checks.ts';
import { clock, compatible, dependencies, reachable } from '../doctor/server-checks.ts';
import { showFinding } from '../doctor/show-finding.ts';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import type { Output } from '../terminal/output.ts';

export interface DoctorOptions extends ConnectOptions {
  write?: boolean;
}

/** Runs all checks in order, prints the next step for each failure, and exits with the first failure's code. */
export async function doctor(
  output: Output,
  options: DoctorOptions,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const found: SystemFacts = {};
  const checks: Check[] = [
    nodeVersion(),
    dataDirectory(dataDir(environment)),
    dashboard(dataDir(environment)),
    credentials(options, found),
    reachable(found),
    compatible(found),
    clock(found),
    accepted(found),
    scope(found),
    pinnedPackage(found),
    dependencies(found),
    presentKeyServers(found),
    embedder(found),
    recallWorks(found),
    roundTrip(found, options.write === true),
  ];
  const failures: Finding[] = [];
  try {
    for (const check of checks) {
      const findings = [await check.run()].flat();
      for (const finding of findings) showFinding(output, check.name, finding);
      failures.push(...findings.filter((finding) => finding.state === 'failed'));
    }
  } finally {
    found.client?.destroy();
  }
  output.line('');
  if (failures.length === 0) return output.line('All is well.');
  throw new ExitError(
    failures[0]!.exitCode ?? exitCodes.failed,
    failures.length === 1
      ? 'One thing is wrong; see above.'
      : `${failures.length} things are wrong; fix the first one first.`,
  );
}
