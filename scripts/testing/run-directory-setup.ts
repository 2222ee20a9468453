import { provideRunDirectory } from '../../testing/src/services/run-directory.ts';

/** For vitest: a run of a few files, without `npm test` around it, has its own directory. */
export function setup(): () => void {
  return provideRunDirectory();
}
