/**
 * Where a client keeps its session. Clients of the same key and relayer may share one, one after the other or at a time:
 * what was decrypted for a session is not paid for again while it lasts. It reads without the key, so keep it as secret.
 */
export interface SessionCache {
  current?: { packageId: string; renewAt: number; header: Promise<string> } | undefined;
}
