import { internalError } from '../base/api-error.ts';
import { type Answer, headerRefs, type Operation, type Paths, sharedHeaders, withHead } from './operation.ts';
import { refusals } from './refusals.ts';

function text(operationId: string, summary: string, type: string, more: Answer['headers'] = {}): Operation {
  const content = { [type]: { schema: { type: 'string' } } };
  return {
    operationId,
    tags: ['Service'],
    summary,
    responses: {
      200: {
        description: summary,
        headers: { ...sharedHeaders, ...headerRefs('Content-Type', 'Content-Length'), ...more },
        content,
      },
      ...refusals(internalError(undefined)),
    },
  };
}

const cached = headerRefs('Cache-Control');
const page = text('apiPage', 'This page', 'text/html', {
  ...cached,
  ...headerRefs('Content-Security-Policy', 'X-Content-Type-Options'),
});
const script = text('apiScript', 'The script of the page', 'text/javascript', cached);
const json = text('apiDocument', 'This document', 'application/json', cached);
json.responses[200]!.content = { 'application/json': { schema: { type: 'object' } } };

export const servicePaths: Paths = {
  '/status': withHead(text('status', '`OK` while the store runs, however busy it is', 'text/plain')),
  '/v1/api': withHead(page),
  '/v1/api/openapi.json': withHead(json),
  '/v1/api/reference.js': withHead(script),
};
