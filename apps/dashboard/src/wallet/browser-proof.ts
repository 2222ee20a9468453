/**
 * What a paired browser signs to get a token for another tab: bound to the address of the dashboard, and to a challenge that
 * its server accepts once.
 */
export function browserProofMessage(origin: string, challenge: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`memrelay-browser-v1\n${origin}\n${challenge}`);
}
