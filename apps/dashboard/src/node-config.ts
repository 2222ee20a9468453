import { canonicalAddressPattern } from '@memrelay/protocol/address';
import { hex32Pattern } from '@memrelay/protocol/bytes';
import { defaultPorts } from '@memrelay/protocol/ports';

export interface DashboardConfig {
  port: number;
  relayerUrl: string;
  packageId: string;
  walletFile: string;
  /** Public key that the local system itself uses, 64 hex digits */
  systemKey?: string | undefined;
  /** Secret of this run, 64 hex digits */
  startToken: string;
}

/** Missing or invalid variables. The message names all of them, but no values. */
export class DashboardConfigError extends Error {
  override name = 'DashboardConfigError';
}

/** Reads the variables that `memrelay up` sets for the dashboard. Throws `DashboardConfigError`. */
export function readConfig(environment: NodeJS.ProcessEnv): DashboardConfig {
  const problems: string[] = [];
  const text = (name: string, valid: (value: string) => boolean, expected: string): string => {
    const value = environment[name] ?? '';
    if (!valid(value)) problems.push(`${name} must be ${expected}`);
    return value;
  };
  const config = {
    port: Number(environment.DASHBOARD_PORT || defaultPorts.dashboard),
    relayerUrl: text('DASHBOARD_RELAYER_URL', (value) => URL.canParse(value), 'a URL'),
    packageId: text(
      'DASHBOARD_PACKAGE_ID',
      (value) => canonicalAddressPattern.test(value),
      '0x and 64 hex digits',
    ),
    walletFile: text('DASHBOARD_WALLET_FILE', (value) => value !== '', 'a path'),
    systemKey:
      text('DASHBOARD_SYSTEM_KEY', (value) => value === '' || hex32Pattern.test(value), '64 hex digits') ||
      undefined,
    startToken: text('DASHBOARD_TOKEN', (value) => hex32Pattern.test(value), '64 hex digits'),
  };
  if (!Number.isInteger(config.port) || config.port < 0 || config.port > 65_535)
    problems.push('DASHBOARD_PORT must be a port number');
  if (problems.length > 0) throw new DashboardConfigError(problems.join('; '));
  return config;
}
