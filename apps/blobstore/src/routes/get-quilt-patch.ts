import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import { requireBlobId } from '../base/ids.ts';
import { parsePatchId } from '../quilt/patch-id.ts';
import type { BlobStoreContext } from './context.ts';
import { invalidPatchId } from './quilt-api-errors.ts';
import { sendPatch } from './send-patch.ts';

/**
 * `GET /v1/blobs/by-quilt-patch-id/{quilt_patch_id}` and `GET /v1/blobs/by-quilt-id/{quilt_id}/{identifier}`:
 * always a whole patch of a quilt. As upstream, ranges and queries are ignored.
 */
export function addGetQuiltPatch(
  app: FastifyInstance,
  context: BlobStoreContext,
  admission: onRequestAsyncHookHandler,
): void {
  app.route<{ Params: { patchId: string } }>({
    method: ['GET', 'HEAD'],
    url: '/v1/blobs/by-quilt-patch-id/:patchId',
    onRequest: admission,
    handler: async (request, reply) => {
      const wanted = parsePatchId(request.params.patchId);
      if (wanted === undefined) throw invalidPatchId();
      const { quiltId, start, end } = wanted;
      return sendPatch(
        context,
        request,
        reply,
        quiltId,
        (patch) => patch.start === start && patch.end === end,
      );
    },
  });

  app.route<{ Params: { quiltId: string; identifier: string } }>({
    method: ['GET', 'HEAD'],
    url: '/v1/blobs/by-quilt-id/:quiltId/:identifier',
    onRequest: admission,
    handler: async (request, reply) => {
      const { identifier } = request.params;
      const quiltId = requireBlobId(request.params.quiltId);
      return sendPatch(context, request, reply, quiltId, (patch) => patch.identifier === identifier);
    },
  });
}
