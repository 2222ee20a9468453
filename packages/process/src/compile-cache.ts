/**
 * The variable by which a process that is started with an environment of its own finds the modules that this one has
 * compiled; nothing where none are kept. For what is started often.
 */
export function compileCache(): { NODE_COMPILE_CACHE?: string } {
  const { NODE_COMPILE_CACHE } = process.env;
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
}
