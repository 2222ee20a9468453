/** Versions and capabilities in `/health` and `/version` (spec "Versioning"). */

export const relayerVersion = '0.1.0';
export const apiVersion = '1.0.0';
export const minSupportedSdk = { typescript: '0.0.4', python: '0.1.0', mcp: '0.0.1' } as const;

export const featureFlags = {
  'auth.accountBoundNonce': true,
  'auth.encSessionHeader': true,
  // The same header under the name that clients of the original system look for
  'auth.sealSessionHeader': true,
  'config.publicDeploymentMetadata': true,
  'remember.asyncJobs': true,
  'remember.bulk': true,
  'runtime.versionEndpoint': true,
} as const;

export interface Deprecation {
  surface: string;
  deprecatedSince: string;
  removalApiVersion: string;
  guidance: string;
}

export const deprecations: readonly Deprecation[] = [
  {
    surface: 'header:x-delegate-key',
    deprecatedSince: '1.0.0',
    removalApiVersion: '2.0.0',
    guidance: 'Send x-enc-session, an exported session key, instead of the delegate private key.',
  },
  {
    surface: 'env:ENC_KEY_SERVERS',
    deprecatedSince: '1.0.0',
    removalApiVersion: '2.0.0',
    guidance: 'Use ENC_SERVER_CONFIGS, a JSON array of key-server entries.',
  },
];
