import { exportRequest, type ImportResponse, importRequest } from '@memrelay/protocol/bundles';
import type { FastifyInstance } from 'fastify';
import { type ExportParts, exportPage, exportPageBytes } from '../../memories/bundles/export-page.ts';
import { type ImportParts, importMemories } from '../../memories/bundles/import-memories.ts';
import { inPieces } from '../http/json-pieces.ts';
import { route } from '../http/route.ts';
import { validate } from '../http/validate.ts';
import type { RequestBounds } from '../limits/request-bounds.ts';

export type BundleRouteParts = ExportParts & ImportParts & { requestBounds: RequestBounds };

/** The signed routes that export and import memories; `app` has the auth hook. */
export function bundleRoutes(app: FastifyInstance, parts: BundleRouteParts): void {
  const { exporting, importing } = parts.requestBounds;
  app.post(
    '/api/export',
    route({ auth: 'signature', scope: ['read'], cost: 1, ownBound: true }),
    async (request, reply) => {
      const wanted = validate(exportRequest, request.body);
      return exporting.run(request, reply, exportPageBytes, async () => {
        const page = await exportPage(parts, request.caller, wanted);
        const length = page.memories.reduce((sum, { envelope }) => sum + envelope.length, 0);
        return inPieces(reply, page, 'memories', length);
      });
    },
  );
  app.post(
    '/api/import',
    route({ auth: 'signature', scope: ['read', 'write'], cost: 1, ownBound: true }),
    async (request, reply): Promise<ImportResponse> => {
      const bundle = validate(importRequest, request.body);
      const answer = await importing.run(request, reply, request.rawBody.length, () =>
        importMemories(parts, request.caller, bundle),
      );
      reply.code(202);
      return answer;
    },
  );
}
