import * as module from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Has Node (from 22.8 on) keep in `folder` what it compiles of JavaScript, also in the processes that this one starts, so that
 * later starts take half the time. The folder should be next to the code: anyone who may write there can change the code itself.
 * One that cannot be written has no effect, and neither has this function if NODE_COMPILE_CACHE names a folder already. The
 * published packages contain a copy of this file.
 * @param {URL} folder
 */
export function keepCompiled(folder) {
  if (process.env.NODE_COMPILE_CACHE !== undefined || !module.enableCompileCache) return;
  const path = fileURLToPath(folder);
  if (module.enableCompileCache(path).directory !== undefined) process.env.NODE_COMPILE_CACHE = path;
}
