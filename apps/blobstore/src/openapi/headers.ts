import type { Schema } from './operation.ts';

function header(description: string, schema: Schema = { type: 'string' }): Schema {
  return { description, required: true, schema };
}

/** An attribute of the blob object, or a tag of the patch. */
function attribute(name: string): Schema {
  return { description: `The attribute or tag \`${name}\`, if there is one`, schema: { type: 'string' } };
}

/** Response headers other than those that HTTP itself needs. */
export const headers: Record<string, Schema> = {
  'X-Request-Id': header('The id from the request, or a new one; log lines contain it'),
  'Access-Control-Allow-Origin': header('Any page may use the store', { const: '*' }),
  'Access-Control-Expose-Headers': header('Further headers that pages may read'),
  'X-Content-Type-Options': header('Anyone may have stored the blob', { const: 'nosniff' }),
  'Cache-Control': header('Content never changes under its ID'),
  ETag: header('The ID of what was read, without quotes'),
  'Content-Length': header('Bytes of the body', { type: 'integer' }),
  'Content-Range': header('The range of the body and the length of the blob'),
  'X-Walrus-Streaming': header('The body is streamed', { const: 'true' }),
  'X-Quilt-Patch-Identifier': {
    description: 'The identifier of the patch, if it can be sent in a header',
    schema: { type: 'string' },
  },
  'Content-Type': {
    description:
      'Of blobs: what `Accept` names if it has no `*`, else the `Content-Type` of the request, else the attribute, else none',
    schema: { type: 'string' },
  },
  'Content-Disposition': attribute('content-disposition'),
  'Content-Encoding': attribute('content-encoding'),
  'Content-Language': attribute('content-language'),
  'Content-Location': attribute('content-location'),
  Link: attribute('link'),
  'Retry-After': { description: 'Seconds', schema: { type: 'integer' } },
  'WWW-Authenticate': header('How to authenticate'),
  'Content-Security-Policy': header('`sandbox` on blobs, so that scripts in them do not run'),
  Age: { description: 'Only with a fault that simulates a cache', schema: { type: 'integer' } },
  'X-Cache': { description: 'Only with a fault that simulates a cache', schema: { type: 'string' } },
};
