/** Whether the `hostname` of a URL, which writes every address in one form, is this machine itself. */
export function isLoopbackHost(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
