/**
 * Environment variable that lets a child process with its own environment reuse this process's compile cache; empty when
 * there is none. For processes that start often.
 */
export function compileCache(): { NODE_COMPILE_CACHE?: string } {
  const { NODE_COMPILE_CACHE } = process.env;
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
}
