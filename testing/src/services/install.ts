import { aptHas, aptInstall, aptUpdate, whyNoApt } from './apt.ts';
import { findChromium } from './chromium.ts';
import { findPostgres } from './find-postgres.ts';
import { buildPgvector, installPgvectorPackage } from './pgvector.ts';
import { findRedis } from './redis.ts';
import { CommandError } from './run-command.mjs';

/** Describes what is still missing afterwards: `Redis: installing with apt needs root`. */
export type Missing = string[];

/**
 * Installs what the tests use and this machine lacks: Postgres with pgvector, Redis, Chromium. It installs only on
 * Debian-like systems and as root; otherwise, or when apt fails, it only reports what is missing.
 */
export async function installMissing(): Promise<Missing> {
  const blocked = whyNoApt();
  const failures: string[] = [];
  if (!blocked && (await stillMissing()).length > 0) {
    await aptUpdate();
    for (const step of [installPackages, installPgvector]) failures.push(...(await attempt(step)));
  }
  const reason = blocked ?? (failures.join('; ') || 'not available from apt here');
  return (await stillMissing()).map((name) => `${name}: ${reason}`);
}

async function installPackages(): Promise<void> {
  const known: string[] = [];
  for (const name of await lackingPackages()) if (await aptHas(name)) known.push(name);
  if (known.length > 0) await aptInstall(known);
}

async function installPgvector(): Promise<void> {
  const postgres = await findPostgres();
  if (!postgres || postgres.pgvector) return;
  await installPgvectorPackage(postgres);
  if (!(await findPostgres())?.pgvector) await buildPgvector(postgres);
}

async function lackingPackages(): Promise<string[]> {
  return [
    ...((await findPostgres()) ? [] : ['postgresql']),
    ...(findRedis() ? [] : ['redis-server']),
    // Without a font, Chromium renders pages without text
    ...(findChromium() ? [] : ['chromium', 'fonts-liberation']),
  ];
}

async function stillMissing(): Promise<string[]> {
  const postgres = await findPostgres();
  return [
    ...(postgres?.pgvector ? [] : [postgres ? 'pgvector' : 'Postgres']),
    ...(findRedis() ? [] : ['Redis']),
    ...(findChromium() ? [] : ['Chromium']),
  ];
}

/** Returns the reason when `step` fails, otherwise undefined: tests continue with what is installed. */
async function attempt(step: () => Promise<void>): Promise<string[]> {
  try {
    await step();
    return [];
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const lastLines = error instanceof CommandError ? error.output.trim().split('\n').slice(-3) : [];
    return [[error.message, ...lastLines].join(' | ')];
  }
}
