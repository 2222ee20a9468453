import type { StoreAnswer } from './running-store.ts';

export interface QuiltAnswer {
  blobStoreResult: StoreAnswer;
  storedQuiltBlobs: { identifier: string; quiltPatchId: string; range: [number, number] }[];
}

/** The content of the `_metadata` field. */
export type QuiltMetadata = { identifier: string; tags?: Record<string, unknown> }[];

export function quiltForm(files: Record<string, string | Uint8Array>, metadata?: QuiltMetadata): FormData {
  const form = new FormData();
  for (const [identifier, content] of Object.entries(files)) {
    form.append(identifier, new Blob([Buffer.from(content)]), 'ignored.bin');
  }
  if (metadata !== undefined) form.append('_metadata', JSON.stringify(metadata));
  return form;
}

export function putForm(url: string, body: FormData, query = ''): Promise<Response> {
  return fetch(`${url}/v1/quilts${query}`, { method: 'PUT', body });
}

/** Stores a quilt; throws when the status is not 200. */
export async function putQuilt(
  url: string,
  files: Record<string, string | Uint8Array>,
  metadata?: QuiltMetadata,
  query = '',
): Promise<QuiltAnswer> {
  const response = await putForm(url, quiltForm(files, metadata), query);
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as QuiltAnswer;
}

export function quiltIdOf({ blobStoreResult: { newlyCreated, alreadyCertified } }: QuiltAnswer): string {
  return newlyCreated?.blobObject.blobId ?? alreadyCertified?.blobId ?? '';
}
