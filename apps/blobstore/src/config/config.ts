import { resolve } from 'node:path';
import { maxShards } from '@memrelay/blob-id/source/matrix';
import { defaultPorts } from '@memrelay/protocol/ports';
import type { ConcurrencyLimit } from '../http/admission.ts';
import { parseAllowedHeaders } from '../http/allowed-headers.ts';
import { defaultShards } from '../registry/open-registry.ts';
import { authSettingsOf } from './auth-settings.ts';
import { type BlobStoreOptions, defaultLimits } from './blob-store-options.ts';
import { s3SettingsOf } from './s3-settings.ts';
import { type Environment, Settings } from './settings.ts';
import { tipSettingsOf } from './tip-settings.ts';

const addressPattern = /^(?:\[([\da-fA-F:]+)\]|([^:]+)):(\d{1,5})$/;

function addressOf(settings: Settings): { host?: string; port: number } {
  const port = settings.number('port', defaultPorts.blobstore, 0, 65_535);
  const address = settings.checked('bind-address', (text) => {
    const match = addressPattern.exec(text);
    return match === null || Number(match[3]) > 65_535
      ? 'an address and a port, such as 127.0.0.1:31415'
      : undefined;
  });
  if (address === undefined) return { port };
  const [, ipv6, name, portText] = addressPattern.exec(address)!;
  return { host: (ipv6 ?? name)!, port: settings.has('port') ? port : Number(portText) };
}

function chainOf(settings: Settings): Pick<BlobStoreOptions, 'chain' | 'nodeUrl'> {
  const nodeUrl = settings.checked('node-url', (text) =>
    /^https?:\/\/[^?#@]+$/.test(text) && URL.canParse(text) ? undefined : 'an http or https URL',
  );
  if (!settings.has('chain-url')) return {};
  const url = settings.checked('chain-url', (text) => (URL.canParse(text) ? undefined : 'a URL'));
  const walletKey = settings.secret('BLOBSTORE_WALLET_KEY');
  if (walletKey === undefined)
    settings.problem("BLOBSTORE_WALLET_KEY must hold the publisher's key (suiprivkey1…)");
  const nodeKeyFile = settings.text('node-key-file');
  if (nodeKeyFile === undefined)
    settings.problem(
      'BLOBSTORE_NODE_KEY_FILE (--node-key-file) must name the file with the storage node key',
    );
  const chain = { url: url ?? '', walletKey: walletKey ?? '', nodeKeyFile: nodeKeyFile ?? '' };
  return { chain, ...(nodeUrl !== undefined && { nodeUrl }) };
}

/** Shorter ones could be guessed, because the number of attempts is not limited. */
const minTokenLength = 16;

function adminTokenOf(settings: Settings): string | undefined {
  const token = settings.secret('BLOBSTORE_ADMIN_TOKEN');
  if (token !== undefined && (token.length < minTokenLength || /\s/.test(token)))
    settings.problem(`BLOBSTORE_ADMIN_TOKEN must have at least ${minTokenLength} characters and no spaces`);
  return token;
}

function concurrencyOf(settings: Settings, part: 'publisher' | 'aggregator'): ConcurrencyLimit {
  const { concurrent, buffered } = defaultLimits[part];
  return {
    concurrent: settings.number(`${part}-max-concurrent-requests`, concurrent, 1, 1e6),
    buffered: settings.number(`${part}-max-buffer-size`, buffered, 1, 1e6),
  };
}

/** Only disk storage can enforce the limit. With a bucket, several instances would need a shared counter. */
function storeBytesOf(settings: Settings): number {
  if (settings.has('max-store-bytes') && settings.has('s3-bucket'))
    settings.problem(
      'BLOBSTORE_MAX_STORE_BYTES (--max-store-bytes) is for blobs on disk; limit the size of an S3 bucket there',
    );
  return settings.number('max-store-bytes', defaultLimits.maxStoreBytes, 1, Number.MAX_SAFE_INTEGER);
}

function readingOf(settings: Settings): Pick<BlobStoreOptions, 'allowedHeaders' | 'blocklistFile'> {
  const list = settings.checked('allowed-headers', (text) =>
    parseAllowedHeaders(text) === undefined
      ? 'a comma-separated list of header names, without those that frame the response or the connection'
      : undefined,
  );
  const allowedHeaders = list === undefined ? undefined : parseAllowedHeaders(list);
  const blocklist = settings.text('blocklist');
  return {
    ...(allowedHeaders === undefined ? {} : { allowedHeaders }),
    ...(blocklist === undefined ? {} : { blocklistFile: resolve(blocklist) }),
  };
}

function originsOf(settings: Settings): Pick<BlobStoreOptions, 'allowedOrigins'> {
  const listed = (text: string) => text.split(',').map((origin) => origin.trim());
  const isOrigin = (text: string) => URL.canParse(text) && new URL(text).origin === text;
  const list = settings.checked('allowed-origins', (text) =>
    listed(text).every(isOrigin)
      ? undefined
      : 'a comma-separated list of origins, such as http://localhost:5173, each without a path or trailing slash',
  );
  return list === undefined ? {} : { allowedOrigins: listed(list) };
}

/**
 * The options of the process from its flags and environment; flags take precedence. Throws `ConfigError` that lists
 * every invalid setting.
 */
export function readConfig(args: string[], env: Environment): Omit<BlobStoreOptions, 'logger'> {
  const settings = new Settings(args, env);
  const dataDir = settings.text('data-dir');
  if (dataDir === undefined)
    settings.problem('BLOBSTORE_DATA_DIR (--data-dir) must name the directory for blobs');
  const epochDurationMs =
    settings.text('epoch-duration') === 'manual' ? null : settings.duration('epoch-duration');
  const quarantineMs = settings.duration('quarantine-period');
  const adminToken = adminTokenOf(settings);
  const auth = authSettingsOf(settings);
  const tip = tipSettingsOf(settings);
  const options = {
    ...addressOf(settings),
    dataDir: resolve(dataDir ?? '.'),
    ...(settings.has('shards') ? { nShards: settings.number('shards', defaultShards, 4, maxShards) } : {}),
    ...chainOf(settings),
    ...(tip === undefined ? {} : { tip }),
    ...s3SettingsOf(settings),
    ...readingOf(settings),
    ...originsOf(settings),
    ...(epochDurationMs === undefined ? {} : { epochDurationMs }),
    ...(quarantineMs === undefined ? {} : { quarantineMs }),
    ...(adminToken === undefined ? {} : { adminToken }),
    burnAfterStore: settings.on('burn-after-store'),
    deletesDataAtOnce: settings.on('enable-immediate-data-deletion'),
    allowsAllTagHeaders: settings.on('allow-quilt-patch-tags-in-response'),
    ...(auth === undefined ? {} : { auth }),
    limits: {
      maxBodyBytes: settings.number('max-body-size', defaultLimits.maxBodyBytes / 1024, 1, 2 ** 30) * 1024,
      maxQuiltBodyBytes:
        settings.number('max-quilt-body-size', defaultLimits.maxQuiltBodyBytes / 1024, 1, 2 ** 30) * 1024,
      maxBlobBytes: settings.number('max-blob-size', defaultLimits.maxBlobBytes, 0, Number.MAX_SAFE_INTEGER),
      maxStoreBytes: storeBytesOf(settings),
      stalledSendMs: defaultLimits.stalledSendMs,
      publisher: concurrencyOf(settings, 'publisher'),
      aggregator: concurrencyOf(settings, 'aggregator'),
    },
  };
  settings.end();
  return options;
}
