import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { createWasmEncoder } from '../src/base/blob-id-encoder.ts';
import type { BlobRegistry, NewBlob } from '../src/registry/blob-registry.ts';
import { openBucketRegistry } from '../src/registry/bucket/bucket-registry.ts';
import { openChainRegistry } from '../src/registry/chain/chain-registry.ts';
import { openLocalRegistry } from '../src/registry/local-registry.ts';
import { type LocalnetProcess, startLocalnet } from './localnet-process.ts';
import { temporaryDirectory } from './running-store.ts';
import { bucketAt, sharedS3 } from './s3-server.ts';

const nShards = 31;

export interface Subject {
  registry: BlobRegistry;
  reopen(): Promise<BlobRegistry>;
  advance(epochs: number): Promise<void>;
}

/** Stores no content, because the registry does not access it. */
export const durable = async () => undefined;

async function ownRegistry(): Promise<Subject> {
  const path = join(await temporaryDirectory(), 'registry.jsonl');
  let time = 0;
  const open = (isNew: boolean) =>
    openLocalRegistry({ path, isNew, nShards, epochDurationMs: 1000, now: () => time });
  let registry = await open(true);
  onTestFinished(() => registry.close());
  return {
    registry,
    async reopen() {
      await registry.close();
      registry = await open(false);
      return registry;
    },
    async advance(epochs) {
      time += epochs * 1000;
    },
  };
}

/**
 * All kinds of registry by name, for tests of their common behaviour. `newBlob` creates a blob of random content in
 * the form in which the store passes it to a registry.
 */
export function registrySubjects() {
  const encoder = createWasmEncoder(nShards, 1);
  const s3 = sharedS3();
  let localnet: LocalnetProcess;

  beforeAll(async () => {
    localnet = await startLocalnet();
  });

  afterAll(async () => {
    await encoder.close();
    await localnet.stop();
  });

  async function onChain(): Promise<Subject> {
    const options = await localnet.chainOptions();
    let registry = await openChainRegistry(options);
    onTestFinished(() => registry.close());
    return {
      registry,
      async reopen() {
        await registry.close();
        registry = await openChainRegistry(options);
        return registry;
      },
      advance: (epochs) => localnet.advanceEpoch(epochs),
    };
  }

  async function inBucket(): Promise<Subject> {
    const place = s3().place();
    let time = 0;
    const open = () =>
      openBucketRegistry({
        bucket: bucketAt(place),
        nShards,
        epochDurationMs: 1000,
        now: () => time,
        graceMs: 0,
      });
    return {
      registry: open(),
      reopen: async () => open(),
      async advance(epochs) {
        time += epochs * 1000;
      },
    };
  }

  async function newBlob(fields: Partial<NewBlob> = {}): Promise<NewBlob> {
    const path = join(await temporaryDirectory(), 'blob');
    await writeFile(path, randomBytes(100));
    return { ...(await encoder.identify(path)), size: 100, epochs: 2, deletable: true, ...fields };
  }

  const subjects: [string, () => Promise<Subject>][] = [
    ['in a local journal', ownRegistry],
    ['in a bucket', inBucket],
    ['on chain', onChain],
  ];
  return { subjects, newBlob };
}
