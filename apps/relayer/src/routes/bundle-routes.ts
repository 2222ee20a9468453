import {
  type ExportResponse,
  exportRequest,
  type ImportResponse,
  importRequest,
} from '@memrelay/protocol/bundles';
import type { FastifyInstance } from 'fastify';
import { exportPage, exportPageBytes } from '../bundles/export-page.ts';
import { importMemories } from '../bundles/import-memories.ts';
import type { RelayerContext } from '../context.ts';
import { validate } from '../http/validate.ts';
import { createInFlight } from '../limits/in-flight.ts';

/** Of pages and bodies at once: each is held a few times over, as bytes, base64 and JSON */
const maxInFlightBytes = 32 * 1024 * 1024;

/** The signed routes that take memories to another server and back; `app` has the auth hook. */
export function bundleRoutes(app: FastifyInstance, context: RelayerContext): void {
  const exporting = createInFlight(maxInFlightBytes);
  const importing = createInFlight(maxInFlightBytes);
  app.post('/api/export', async (request): Promise<ExportResponse> => {
    const wanted = validate(exportRequest, request.body);
    return exporting.run(exportPageBytes, () => exportPage(context, request.caller, wanted));
  });
  app.post('/api/import', async (request, reply): Promise<ImportResponse> => {
    const given = validate(importRequest, request.body);
    const answer = await importing.run(request.rawBody.length, () =>
      importMemories(context, request.caller, given),
    );
    reply.code(202);
    return answer;
  });
}
