/**
 * The environment variable that lets a child process with a separate environment reuse this process's compile cache; empty if
 * there is none. For processes that are started often.
 */
export function compileCache(): { NODE_COMPILE_CACHE?: string } {
  const { NODE_COMPILE_CACHE } = process.env;
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
}
