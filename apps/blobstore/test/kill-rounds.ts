import { createHash, randomBytes, randomInt } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startMain, urlOf } from './main-child.ts';

export interface KillRounds {
  rounds: number;
  /** The only state that the rounds share */
  dataDir: string;
  onRound?: (round: number, acknowledged: number) => void;
  /** Additional settings, for blobs in a bucket */
  more?: { args: string[]; env: Record<string, string> };
}

/** Observations after the last kill; all except `acknowledged` and `unacknowledged` must be empty. */
export interface KillResult {
  acknowledged: number;
  /** Blobs whose store was interrupted between body and response; they are complete, only registered, or missing */
  unacknowledged: number;
  lost: string[];
  wrong: string[];
  /** Files of partially received bodies that remain after a start */
  leftOver: string[];
}

const writers = 6;

/** One body in eight is so large that a kill is likely to interrupt it. */
function randomBody(): Buffer<ArrayBuffer> {
  const size = randomInt(8) === 0 ? randomInt(1_000_000, 4_000_000) : randomInt(1, 100_000);
  return Buffer.from(randomBytes(size));
}

function digestOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('base64url');
}

/** Stores random blobs one after another until the process dies. Records the digest of each acknowledged one. */
async function writeUntilDead(url: string, acknowledged: Map<string, string>): Promise<void> {
  for (;;) {
    const body = randomBody();
    try {
      const response = await fetch(`${url}/v1/blobs?epochs=50`, { method: 'PUT', body });
      const { newlyCreated } = (await response.json()) as {
        newlyCreated: { blobObject: { blobId: string } };
      };
      acknowledged.set(newlyCreated.blobObject.blobId, digestOf(body));
    } catch {
      return;
    }
  }
}

/** Starts a store, writes to it for a moment, and kills it. */
async function round(
  args: string[],
  env: Record<string, string>,
  acknowledged: Map<string, string>,
): Promise<void> {
  const main = startMain(args, env);
  try {
    const url = await urlOf(main);
    const enough = acknowledged.size + randomInt(1, 30);
    const writing = Array.from({ length: writers }, () => writeUntilDead(url, acknowledged));
    while (acknowledged.size < enough) await pause(randomInt(1, 8));
    main.child.kill('SIGKILL');
    await Promise.all(writing);
  } finally {
    main.child.kill('SIGKILL');
    await main.ended;
  }
}

/** The digest of a blob's content, or the status if it cannot be read. */
async function readDigest(url: string, blobId: string): Promise<string | number> {
  const response = await fetch(`${url}/v1/blobs/${blobId}`);
  const content = Buffer.from(await response.arrayBuffer());
  return response.status === 200 ? digestOf(content) : response.status;
}

/** Repeatedly kills a store with SIGKILL in the middle of stores, and then reads everything back. */
export async function runKillRounds({ rounds, dataDir, onRound, more }: KillRounds): Promise<KillResult> {
  const args = ['--port', '0', '--shards', '31', '--data-dir', dataDir, ...(more?.args ?? [])];
  const env = more?.env ?? {};
  const acknowledged = new Map<string, string>();
  for (let done = 1; done <= rounds; done += 1) {
    await round(args, env, acknowledged);
    onRound?.(done, acknowledged.size);
  }
  const main = startMain(args, env);
  try {
    const url = await urlOf(main);
    const result: KillResult = {
      acknowledged: acknowledged.size,
      unacknowledged: 0,
      lost: [],
      wrong: [],
      leftOver: await readdir(join(dataDir, 'incoming')),
    };
    for (const [blobId, digest] of acknowledged) {
      const read = await readDigest(url, blobId);
      if (typeof read === 'number') result.lost.push(`${blobId}: ${read}`);
      else if (read !== digest) result.wrong.push(blobId);
    }
    for (const name of more === undefined
      ? await readdir(join(dataDir, 'objects'), { recursive: true })
      : []) {
      const [, blobId, , digest] = name.split('.');
      if (blobId === undefined || acknowledged.has(blobId)) continue;
      const read = await readDigest(url, blobId);
      // 503: registered and not certified, so a store with reuse_resources can resume it
      if (read === digest || read === 404 || read === 503) result.unacknowledged += 1;
      else result.wrong.push(`${blobId}: ${read}`);
    }
    return result;
  } finally {
    main.child.kill('SIGKILL');
    await main.ended;
  }
}
