import { adminPaths } from './admin-paths.ts';
import { adminSchemas } from './admin-schemas.ts';
import { headers } from './headers.ts';
import { quiltPaths } from './quilt-paths.ts';
import { readPaths } from './read-paths.ts';
import { relayPaths } from './relay-paths.ts';
import { schemas } from './schemas.ts';
import { servicePaths } from './service-paths.ts';
import { storePaths } from './store-paths.ts';

const description = `Stores and reads blobs as the Walrus publisher and aggregator of release 1.56 do.

Every error has the same form, with a \`reason\` for programs. An unknown path is 404 \`ROUTE_NOT_FOUND\`, an
unsupported method is 405 \`METHOD_NOT_ALLOWED\` with \`Allow\`. Pages of any origin may read all responses.
\`HEAD\` works wherever \`GET\` does.`;

/** The document of the whole HTTP surface, OpenAPI 3.1. */
export const openApiDocument = {
  openapi: '3.1.0',
  info: { title: 'Blob store', version: '1.56.0', description, license: { name: 'Apache-2.0' } },
  servers: [{ url: '/' }],
  tags: [
    { name: 'Publisher', description: 'Stores blobs' },
    { name: 'Aggregator', description: 'Reads blobs' },
    { name: 'Quilts', description: 'Reads the small blobs of a quilt' },
    { name: 'Upload relay', description: 'Only with a chain' },
    {
      name: 'Admin',
      description: 'Only if the store has an admin token. Inspects the store and injects faults',
    },
    { name: 'Service', description: 'About the store itself' },
  ],
  paths: { ...storePaths, ...readPaths, ...quiltPaths, ...relayPaths, ...adminPaths, ...servicePaths },
  components: {
    schemas: { ...schemas, ...adminSchemas },
    headers,
    securitySchemes: {
      admin: { type: 'http', scheme: 'bearer', description: 'The value of `BLOBSTORE_ADMIN_TOKEN`' },
      token: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'JWT',
        description:
          'Only if the publisher requires tokens. `exp` and `jti` are required; `size`, `max_size`, `epochs`, `max_epochs` ' +
          'and `send_object_to` restrict the store. Each token is valid for one store.',
      },
    },
  },
};
