/** A wrong or missing variable, by name. */
export class SidecarConfigError extends Error {
  override name = 'SidecarConfigError';
}
