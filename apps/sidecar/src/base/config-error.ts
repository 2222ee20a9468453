/** An invalid or missing variable; the message names it. */
export class SidecarConfigError extends Error {
  override name = 'SidecarConfigError';
}
