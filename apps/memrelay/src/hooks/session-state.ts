import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '@memrelay/protocol/secret-file-node';
import { homeDirectory } from '@memrelay/sdk/data-dir-node';
import { z } from 'zod';

/** What hooks of one session remember between their runs. Ids and positions, never texts. */
const shownSchema = z.object({
  /** Ids of the memories that the model has seen in this session */
  shown: z.array(z.string()).default([]),
  /** A hint about a relayer that cannot be reached was given */
  hinted: z.boolean().default(false),
  /** Bytes of the transcript whose secrets were reported */
  reported: z.number().default(0),
});
const capturedSchema = z.object({
  /** Bytes of the transcript that were captured */
  captured: z.number().default(0),
});
export type ShownState = z.output<typeof shownSchema>;
export type CapturedState = z.output<typeof capturedSchema>;

/** Keeps a long session's file small; the oldest ids are forgotten first. */
const mostShown = 2_000;
const keptMs = 30 * 24 * 3600 * 1000;
const lockMs = 5 * 60 * 1000;

function folder(): string {
  return join(homeDirectory(), '.mem', 'hooks');
}

function pathOf(session: string, what: string): string {
  // The id comes from outside and must not become a path
  return join(folder(), `${createHash('sha256').update(session).digest('hex').slice(0, 32)}.${what}`);
}

export async function readShown(session: string): Promise<ShownState> {
  return shownSchema.parse(await readState(pathOf(session, 'shown.json')));
}

export async function readCaptured(session: string): Promise<CapturedState> {
  return capturedSchema.parse(await readState(pathOf(session, 'captured.json')));
}

export function saveShown(session: string, state: ShownState): Promise<void> {
  return saveState(pathOf(session, 'shown.json'), { ...state, shown: state.shown.slice(-mostShown) });
}

export function saveCaptured(session: string, state: CapturedState): Promise<void> {
  return saveState(pathOf(session, 'captured.json'), state);
}

async function readState(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    // Absent or damaged: what was shown may be shown again, what was stored is deduplicated by the relayer
    return {};
  }
}

async function saveState(path: string, state: object): Promise<void> {
  await mkdir(folder(), { recursive: true, mode: 0o700 });
  await replaceFile(path, JSON.stringify(state), 0o600);
}

/** Deletes the files of sessions that ended long ago. */
export async function removeOldStates(now = Date.now()): Promise<void> {
  const names = await readdir(folder()).catch(() => []);
  for (const name of names) {
    const path = join(folder(), name);
    const info = await stat(path).catch(() => undefined);
    if (info && now - info.mtimeMs > keptMs) await rm(path, { force: true });
  }
}

/** Runs `work` while no other process captures the same session; returns undefined when one still does after `waitMs`. */
export async function withCaptureLock<T>(
  session: string,
  waitMs: number,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const path = pathOf(session, 'lock');
  await mkdir(folder(), { recursive: true, mode: 0o700 });
  for (const deadline = Date.now() + waitMs; ; await new Promise((resolve) => setTimeout(resolve, 100))) {
    try {
      await (await open(path, 'wx', 0o600)).close();
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const info = await stat(path).catch(() => undefined);
      // Its process was killed
      if (info && Date.now() - info.mtimeMs > lockMs) await rm(path, { force: true });
      else if (Date.now() > deadline) return undefined;
    }
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}
