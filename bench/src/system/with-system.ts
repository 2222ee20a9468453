import { Client } from 'pg';
import { type BenchSystem, type Services, startBenchSystem, startServices } from './memrelay-system.ts';

export interface SystemParts {
  services: Services;
  system: BenchSystem;
  /** Connected to the system's database */
  database: Client;
}

/** Runs `work` on a system with its own Postgres and Redis, and stops all of them afterwards. */
export async function withSystem<Result>(work: (parts: SystemParts) => Promise<Result>): Promise<Result> {
  const services = await startServices();
  const database = new Client({ connectionString: services.databaseUrl });
  try {
    const system = await startBenchSystem(services);
    try {
      await database.connect();
      return await work({ services, system, database });
    } finally {
      await system.stop();
    }
  } finally {
    await database.end();
    await services.stop();
  }
}
