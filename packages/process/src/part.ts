import type { PartLog, ServingPart } from './serve-part.ts';

/** Where a part runs: alone in its process, or in one that it shares with other parts. */
export interface PartSurroundings {
  /** The variables of this part. Parts that share a process have separate ones, so they do not read `process.env`. */
  environment: NodeJS.ProcessEnv;
  /** File descriptor for its log: 2 if it runs alone */
  logFd: number;
}

/** A part that accepts connections. */
export interface StartedPart extends ServingPart {
  log: PartLog;
}

/** Starts a part in the current process. Throws `StartProblem` if the reason is one that its user can remove. */
export type PartStarter = (surroundings: PartSurroundings) => Promise<StartedPart>;

/** A part cannot start; the message says why and what to do, for people. */
export class StartProblem extends Error {
  override name = 'StartProblem';
}

/** The text for stderr: without the stack where the message is meant for people. */
export function startFailure(error: unknown): string {
  if (error instanceof StartProblem) return error.message;
  return (error as Error).stack ?? String(error);
}
