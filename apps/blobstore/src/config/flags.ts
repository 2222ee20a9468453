/** A setting of the process: a flag with an equivalent variable. */
export interface Flag {
  /** Name of the value in the help text; a flag without it is a switch */
  value?: string;
  about: string;
}

/** All flags, in the order of the help text. Settings that the real daemons also have use the daemons' names. */
export const flags = {
  'data-dir': { value: 'DIR', about: 'directory for the blobs; the only setting without a default' },
  port: { value: 'PORT', about: 'port of publisher and aggregator (31415; 0 picks a free one)' },
  'bind-address': { value: 'ADDRESS:PORT', about: 'address and port to listen on (127.0.0.1:31415)' },
  shards: {
    value: 'N',
    about: 'shards that blob ids are computed for (1000, as on the public networks); fixed per directory',
  },
  'epoch-duration': {
    value: 'DURATION',
    about: 'length of an epoch, such as 1d, 12h or 30m (1d); `manual` advances epochs only by hand',
  },
  'burn-after-store': {
    about: 'destroy the objects of stores that name no receiver; by default the publisher keeps them',
  },
  'enable-immediate-data-deletion': {
    about: 'remove the data of deleted blobs at once; by default it is removed at the end of the epoch',
  },
  'quarantine-period': {
    value: 'DURATION',
    about: 'how long to keep blobs that the registry does not know before removing them (7d)',
  },
  'max-body-size': { value: 'KIB', about: 'largest body of a store (10240)' },
  'max-quilt-body-size': { value: 'KIB', about: 'largest body of a quilt store (102400)' },
  'max-store-bytes': {
    value: 'BYTES',
    about: 'most bytes of blobs in the data directory; a store beyond that is answered 507 (no limit)',
  },
  'publisher-max-concurrent-requests': { value: 'N', about: 'stores processed at a time (8)' },
  'publisher-max-buffer-size': {
    value: 'N',
    about: 'stores processed and waiting; more are answered 429 (8)',
  },
  'aggregator-max-concurrent-requests': { value: 'N', about: 'reads processed at a time (256)' },
  'aggregator-max-buffer-size': {
    value: 'N',
    about: 'reads processed and waiting; more are answered 429 (320)',
  },
  'max-blob-size': {
    value: 'BYTES',
    about: 'largest blob that can be read; larger ones are answered 403 (no limit)',
  },
  'allowed-headers': {
    value: 'LIST',
    about: 'attributes that reads return as headers, separated by commas (the six of the specification)',
  },
  'allow-quilt-patch-tags-in-response': {
    about: 'return all tags of a quilt patch as headers, not only the allowed ones',
  },
  blocklist: {
    value: 'FILE',
    about: 'YAML list of blob ids that are neither served nor stored; reloaded when it changes',
  },
  'allowed-origins': {
    value: 'LIST',
    about: 'origins of pages that may do more than read, separated by commas (any, as with the real daemons)',
  },
  'jwt-decode-secret': {
    value: 'SECRET',
    about:
      'key that verifies store tokens: text, or 0x and hex (a public key in DER). Prefer ' +
      'BLOBSTORE_JWT_DECODE_SECRET: other users of this machine can see command lines',
  },
  'jwt-algorithm': {
    value: 'NAME',
    about:
      'the only accepted algorithm of tokens (HS256); ES256, ES384, EdDSA, and HS, RS, PS with 256, 384, 512',
  },
  'jwt-expiring-sec': {
    value: 'N',
    about: 'require tokens that expire exactly N seconds after iat (0: any)',
  },
  'jwt-verify-upload': {
    about: 'check epochs, size and receiver of a store against its token before reading the body',
  },
  'jwt-cache-size': { value: 'N', about: 'how many used tokens are remembered (10000)' },
  'jwt-cache-refresh-interval': { value: 'DURATION', about: 'how often expired ones are forgotten (5s)' },
  's3-bucket': {
    value: 'NAME',
    about:
      'keep blobs in this S3 bucket, which several stores can share; --data-dir then only holds uploads in progress. ' +
      'Credentials as for all AWS tools: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, files, or roles',
  },
  's3-prefix': { value: 'PATH', about: 'prefix of the keys in the bucket (none)' },
  's3-endpoint': { value: 'URL', about: 'a server other than that of AWS' },
  's3-region': { value: 'NAME', about: 'region of the bucket (AWS_REGION; us-east-1 with an endpoint)' },
  's3-force-path-style': {
    about: 'put the bucket into the path of the URL, as most servers other than AWS require',
  },
  'chain-url': {
    value: 'URL',
    about: 'register blobs on this chain (gRPC-web); without it the store keeps its own registry',
  },
  'node-key-file': { value: 'FILE', about: 'key of the storage nodes that certify; needed with a chain' },
  'node-url': {
    value: 'URL',
    about: 'URL at which clients reach the storage nodes, written to the chain (the listen address)',
  },
  'tip-address': { value: 'ADDRESS', about: 'address that receives a tip for each relayed upload (none)' },
  'tip-const': { value: 'MIST', about: 'the tip, whatever the size' },
  'tip-linear-base': { value: 'MIST', about: 'alternatively, the base tip of each upload' },
  'tip-linear-per-kib': { value: 'MIST', about: 'added to the base tip for each KiB of the encoded blob' },
  'tip-freshness': { value: 'DURATION', about: 'how long a paid tip is valid for its upload (10h)' },
} as const satisfies Record<string, Flag>;

export type FlagName = keyof typeof flags;

/** Secrets have no flag: command lines are visible to other users of the machine. */
export const secretVariables = {
  BLOBSTORE_ADMIN_TOKEN:
    'enables the routes below /admin for callers that send it; without it they do not exist',
  BLOBSTORE_WALLET_KEY: "the publisher's key (suiprivkey1…); needed with a chain",
} as const;

export type SecretVariable = keyof typeof secretVariables;

/** The variable that is equivalent to a flag. */
export function variableOf(flag: FlagName): string {
  return `BLOBSTORE_${flag.toUpperCase().replaceAll('-', '_')}`;
}

/** What `--help` prints. */
export function helpText(): string {
  const rows = Object.entries<Flag>(flags).map(([name, { value, about }]) => [
    `--${name}${value === undefined ? '' : ` ${value}`}`,
    about,
  ]);
  const secrets = Object.entries(secretVariables);
  const width = Math.max(...[...rows, ...secrets].map(([left]) => left!.length)) + 2;
  const table = (lines: string[][]) => lines.map(([left, about]) => `  ${left!.padEnd(width)}${about}`);
  return [
    'A Walrus publisher and aggregator on this machine, without a chain, a wallet or Docker.',
    '',
    ...table(rows),
    '',
    'Each is also a variable: --data-dir is BLOBSTORE_DATA_DIR. Secrets are variables only:',
    '',
    ...table(secrets),
    '',
  ].join('\n');
}
