import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import { requireBlobId } from '../base/ids.ts';
import { untrustedContent } from '../http/read-headers.ts';
import { replyJson } from '../http/reply-json.ts';
import type { Tags } from '../quilt/bcs-writer.ts';
import { patchIdOf } from '../quilt/patch-id.ts';
import type { IndexedPatch } from '../quilt/quilt-index.ts';
import type { BlobStoreContext } from './context.ts';
import { checkColumnsSize, openQuilt } from './open-quilt.ts';

/** `GET /v1/quilts/{quilt_id}/patches`, and the same without `/v1`, as in the specification. */
export function addListQuiltPatches(
  app: FastifyInstance,
  context: BlobStoreContext,
  admission: onRequestAsyncHookHandler,
): void {
  for (const url of ['/v1/quilts/:quiltId/patches', '/quilts/:quiltId/patches']) {
    app.route<{ Params: { quiltId: string } }>({
      method: ['GET', 'HEAD'],
      url,
      onRequest: admission,
      handler: async (request, reply) => {
        const quiltId = requireBlobId(request.params.quiltId);
        await using quilt = await openQuilt(context, quiltId);
        checkColumnsSize(context, quilt, quilt.patches[0]?.start ?? 1);
        reply.headers(untrustedContent);
        return replyJson(reply, `[${quilt.patches.map((patch) => patchJson(quiltId, patch)).join()}]`);
      },
    });
  }
}

/** Serialized manually, because objects put keys that look like numbers first. */
function patchJson(quiltId: string, { identifier, tags, start, end }: IndexedPatch): string {
  const patchId = patchIdOf({ quiltId, start, end });
  return `{"identifier":${JSON.stringify(identifier)},"patch_id":"${patchId}","tags":${tagsJson(tags)}}`;
}

/** In the order of the keys' bytes, as upstream. */
function tagsJson(tags: Tags): string {
  const entries = [...tags].toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return `{${entries.map((entry) => entry.map((text) => JSON.stringify(text)).join(':')).join()}}`;
}
