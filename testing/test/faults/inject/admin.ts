import type { FaultWorld } from '../world/fault-world.ts';

/**
 * Makes the blob store itself fail (docs/blob-store-admin.md). Returns a function that ends the fault. Throws when
 * the store is down.
 */
export async function storeFault(
  { network, adminToken }: Pick<FaultWorld, 'network' | 'adminToken'>,
  fault: object,
): Promise<() => Promise<void>> {
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${network.blobstoreUrl}/admin/faults${path}`, {
      method,
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(5_000),
    });
    if (!response.ok) throw new Error(`the blob store rejected a fault with status ${response.status}`);
    return response.json();
  };
  const { id } = (await call('POST', '', fault)) as { id: string };
  // Fails if the store was killed in the meantime, which also ends the fault
  return () =>
    call('DELETE', `/${id}`).then(
      () => undefined,
      () => undefined,
    );
}
