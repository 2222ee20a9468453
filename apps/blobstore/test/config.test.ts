import { expect, test } from 'vitest';
import { defaultLimits } from '../src/config/blob-store-options.ts';
import { readConfig } from '../src/config/config.ts';
import { parseDuration } from '../src/config/settings.ts';

test('requires only the directory; the rest are the defaults of the real daemon', () => {
  expect(readConfig(['--data-dir', '/data'], {})).toEqual({
    port: 31415,
    dataDir: '/data',
    burnAfterStore: false,
    deletesDataAtOnce: false,
    allowsAllTagHeaders: false,
    limits: defaultLimits,
  });
});

test('prefers a flag to the environment, and treats an empty variable as unset', () => {
  const env = {
    BLOBSTORE_DATA_DIR: '/from-env',
    BLOBSTORE_PORT: '1',
    BLOBSTORE_SHARDS: '31',
    BLOBSTORE_EPOCH_DURATION: '',
  };
  expect(readConfig(['--port', '2', '--max-body-size', '1'], env)).toMatchObject({
    port: 2,
    dataDir: '/from-env',
    nShards: 31,
    limits: { maxBodyBytes: 1024 },
  });
});

test("accepts the daemon's own flags", () => {
  const flags = [
    '--data-dir=/d',
    '--bind-address=0.0.0.0:8080',
    '--epoch-duration=12h',
    '--publisher-max-concurrent-requests=3',
    '--publisher-max-buffer-size=4',
    '--aggregator-max-concurrent-requests=5',
    '--aggregator-max-buffer-size=6',
  ];
  expect(readConfig(flags, {})).toMatchObject({
    host: '0.0.0.0',
    port: 8080,
    epochDurationMs: 43_200_000,
    limits: { publisher: { concurrent: 3, buffered: 4 }, aggregator: { concurrent: 5, buffered: 6 } },
  });
  expect(readConfig(['--data-dir=/d', '--bind-address=[::1]:1'], {})).toMatchObject({ host: '::1', port: 1 });
});

test('sets the read limit, the allowed headers and the blocklist', () => {
  const read = (...flags: string[]) => readConfig(['--data-dir=/d', ...flags], {});
  expect(read('--max-blob-size=7').limits?.maxBlobBytes).toBe(7);
  expect(read('--blocklist=/b.yaml').blocklistFile).toBe('/b.yaml');
  expect(read('--allowed-headers= Content-Type, x-own,,').allowedHeaders).toEqual(
    new Set(['content-type', 'x-own']),
  );
  expect(read('--allowed-headers=').allowedHeaders).toEqual(new Set());
  expect(readConfig(['--data-dir=/d'], { BLOBSTORE_ALLOWED_HEADERS: 'link' }).allowedHeaders).toEqual(
    new Set(['link']),
  );
  for (const wrong of ['a b', 'transfer-encoding', 'Content-Length,link', 'a:', 'ü']) {
    expect(() => read(`--allowed-headers=${wrong}`)).toThrow('--allowed-headers');
  }
  expect(() => read('--max-blob-size=many')).toThrow('--max-blob-size');
});

test('keeps unknown content for a week, or as long as configured', () => {
  expect(readConfig(['--data-dir=/d'], {})).not.toHaveProperty('quarantineMs');
  expect(readConfig(['--data-dir=/d', '--quarantine-period=30d'], {}).quarantineMs).toBe(2_592_000_000);
  expect(() => readConfig(['--data-dir=/d', '--quarantine-period=0'], {})).toThrow('--quarantine-period');
});

test('limits the bytes of the whole store, but not of a bucket', () => {
  const read = (...flags: string[]) => readConfig(['--data-dir=/d', ...flags], {});
  expect(read('--max-store-bytes=1000').limits?.maxStoreBytes).toBe(1000);
  expect(readConfig(['--data-dir=/d'], { BLOBSTORE_MAX_STORE_BYTES: '5' }).limits?.maxStoreBytes).toBe(5);
  for (const wrong of ['0', '-1', '1GB', 'any']) {
    expect(() => read(`--max-store-bytes=${wrong}`)).toThrow('--max-store-bytes');
  }
  expect(() => read('--max-store-bytes=5', '--s3-bucket=blobs')).toThrow('for blobs on disk');
});

test('requires both keys for a chain', () => {
  const env = { BLOBSTORE_CHAIN_URL: 'http://127.0.0.1:9100', BLOBSTORE_NODE_KEY_FILE: '/keys/node' };
  const args = ['--data-dir=/d'];
  expect(readConfig(args, { ...env, BLOBSTORE_WALLET_KEY: 'suiprivkey1x' })).toMatchObject({
    chain: { url: 'http://127.0.0.1:9100', nodeKeyFile: '/keys/node', walletKey: 'suiprivkey1x' },
  });
  expect(() => readConfig(args, env)).toThrow('BLOBSTORE_WALLET_KEY');
  expect(() => readConfig([...args, '--chain-url=http://x'], {})).toThrow('BLOBSTORE_NODE_KEY_FILE');
  expect(() => readConfig([...args, '--chain-url=x'], {})).toThrow('--chain-url must be a URL');
  expect(readConfig(args, { BLOBSTORE_CHAIN_URL: '' })).not.toHaveProperty('chain');
});

test('requires tokens if a secret, a lifetime or the check of uploads is configured', () => {
  const auth = (flags: string[], env = {}) => readConfig(['--data-dir=/d', ...flags], env).auth;
  expect(auth(['--jwt-algorithm=ES256', '--jwt-cache-size=5'])).toBeUndefined();
  const cache = { size: 10_000, refreshIntervalMs: 5000 };
  expect(auth([], { BLOBSTORE_JWT_DECODE_SECRET: '0x00ff' })).toEqual({
    key: { algorithm: 'HS256', key: Buffer.of(0, 255) },
    expiringSec: 0,
    verifyUpload: false,
    cache,
  });
  const more = ['--jwt-algorithm=HS512', '--jwt-cache-size=5', '--jwt-cache-refresh-interval=1m'];
  expect(auth(['--jwt-decode-secret=text', ...more])).toMatchObject({
    key: { algorithm: 'HS512', key: Buffer.from('text') },
    cache: { size: 5, refreshIntervalMs: 60_000 },
  });
  expect(auth(['--jwt-expiring-sec=30'])).toEqual({ expiringSec: 30, verifyUpload: false, cache });
  expect(auth(['--jwt-verify-upload'])).toEqual({ expiringSec: 0, verifyUpload: true, cache });
  for (const wrong of [
    '--jwt-decode-secret=',
    '--jwt-decode-secret=0xabc',
    '--jwt-algorithm=none',
    '--jwt-cache-size=0',
  ]) {
    expect(() => auth([wrong])).toThrow(wrong.split('=')[0]);
  }
  const notAKey = ['--jwt-algorithm=ES256', '--jwt-decode-secret=0xabcd'];
  expect(() => auth(notAKey)).toThrow('is not a public key for ES256');
  expect(() => auth(notAKey)).not.toThrow('abcd');
});

test('configures the lifecycle of objects, data and epochs', () => {
  const flags = ['--burn-after-store', '--enable-immediate-data-deletion', '--epoch-duration=manual'];
  const wanted = { burnAfterStore: true, deletesDataAtOnce: true, epochDurationMs: null };
  expect(readConfig(['--data-dir=/d', ...flags], {})).toMatchObject(wanted);
  const env = {
    BLOBSTORE_BURN_AFTER_STORE: 'true',
    BLOBSTORE_ENABLE_IMMEDIATE_DATA_DELETION: 'true',
    BLOBSTORE_EPOCH_DURATION: 'manual',
  };
  expect(readConfig(['--data-dir=/d'], env)).toMatchObject(wanted);
});

test('accepts the admin token only as a variable with a minimum length, and never shows it', () => {
  const args = ['--data-dir=/d'];
  const token = 'sixteen-letters!';
  expect(readConfig(args, { BLOBSTORE_ADMIN_TOKEN: token })).toHaveProperty('adminToken', token);
  expect(readConfig(args, { BLOBSTORE_ADMIN_TOKEN: '' })).not.toHaveProperty('adminToken');
  expect(() => readConfig([...args, `--admin-token=${token}`], {})).toThrow('--admin-token');
  for (const wrong of ['fifteen-letters', 'with spaces in between']) {
    const read = () => readConfig(args, { BLOBSTORE_ADMIN_TOKEN: wrong });
    expect(read).toThrow('BLOBSTORE_ADMIN_TOKEN');
    expect(read).not.toThrow(wrong);
  }
});

test('names all wrong settings at once', () => {
  const env = { BLOBSTORE_SHARDS: 'many', BLOBSTORE_PORT: '70000', BLOBSTORE_EPOCH_DURATION: '1 day' };
  const flags = ['--max-body-size', '0', '--bind-address', 'nowhere'];
  const variables = ['DATA_DIR', 'SHARDS', 'PORT', 'EPOCH_DURATION'].map((name) => `BLOBSTORE_${name}`);
  for (const name of [...variables, '--max-body-size', '--bind-address']) {
    expect(() => readConfig(flags, env)).toThrow(name);
  }
  expect(() => readConfig(['--nonsense'], env)).toThrow('--nonsense');
});

test.each([
  ['1d', 86_400_000],
  ['2w', 1_209_600_000],
  ['30m', 1_800_000],
  ['5s', 5000],
  ['200ms', 200],
  ['0d', undefined],
  ['1', undefined],
  ['-1d', undefined],
  ['1d2h', undefined],
])('reads the duration %s as %s ms', (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds);
});

test('accepts a bucket and its location, by flags or variables', () => {
  const flags = [
    '--data-dir=/d',
    '--s3-bucket=blobs',
    '--s3-prefix=a/b',
    '--s3-endpoint=http://127.0.0.1:9000',
    '--s3-region=eu-1',
    '--s3-force-path-style',
  ];
  const s3 = {
    bucket: 'blobs',
    prefix: 'a/b',
    endpoint: 'http://127.0.0.1:9000',
    region: 'eu-1',
    forcePathStyle: true,
  };
  expect(readConfig(flags, {}).s3).toEqual(s3);
  const env = {
    BLOBSTORE_DATA_DIR: '/d',
    BLOBSTORE_S3_BUCKET: 'blobs',
    BLOBSTORE_S3_PREFIX: 'a/b',
    BLOBSTORE_S3_ENDPOINT: 'http://127.0.0.1:9000',
    BLOBSTORE_S3_REGION: 'eu-1',
    BLOBSTORE_S3_FORCE_PATH_STYLE: 'true',
  };
  expect(readConfig([], env).s3).toEqual(s3);
  expect(readConfig(['--data-dir=/d', '--s3-bucket=blobs'], {}).s3).toEqual({
    bucket: 'blobs',
    forcePathStyle: false,
  });
});

test.each([
  ['--s3-bucket=Not/A/Name', /--s3-bucket must be the name of a bucket/],
  ['--s3-prefix=/leading', /--s3-prefix must be letters/],
  ['--s3-prefix=a//b', /--s3-prefix must be letters/],
  ['--s3-endpoint=ftp://host', /--s3-endpoint must be an http or https URL/],
  ['--s3-region=eu', /BLOBSTORE_S3_BUCKET \(--s3-bucket\) must name the bucket/],
])('rejects %s', (flag, message) => {
  expect(() => readConfig(['--data-dir=/d', flag], {})).toThrow(message);
});
