import { type PartStarter, startFailure } from './part.ts';
import { servePart } from './serve-part.ts';

/** The main program of a part: runs it alone in this process. Exits with 1 if it cannot start. */
export async function runPart(start: PartStarter): Promise<void> {
  try {
    const part = await start({ environment: process.env, logFd: 2 });
    servePart(part, part.log);
  } catch (error) {
    process.stderr.write(`${startFailure(error)}\n`);
    process.exit(1);
  }
}
