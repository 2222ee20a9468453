import { invalidIdFormat } from '../base/api-error.ts';
import { invalidPatchId, notAQuilt, patchNotFound } from '../routes/quilt-api-errors.ts';
import {
  headerRefs,
  jsonAnswer,
  type Operation,
  type Parameter,
  type Paths,
  pathParameter,
  schemaRef,
  withHead,
} from './operation.ts';
import { attributeHeaders, bytesAnswer, readRefusals } from './read-paths.ts';
import { refusals } from './refusals.ts';
import { listOf } from './schemas.ts';

const quiltId = pathParameter('quilt_id', 'The blob ID of the quilt', schemaRef('BlobId'));

const patchAnswer = bytesAnswer('The patch. The ETag is the ID of its quilt', {
  ...headerRefs('Content-Length', 'X-Quilt-Patch-Identifier'),
  ...attributeHeaders,
});

function patchRead(
  operationId: string,
  summary: string,
  parameters: Parameter[],
  refused: Parameters<typeof refusals>,
): Operation {
  return {
    operationId,
    tags: ['Quilts'],
    summary,
    description:
      'Always the whole patch, with its allowed tags as headers. `Range` and the query are ignored.',
    parameters,
    responses: { 200: patchAnswer, ...refusals(...refused, ...readRefusals) },
  };
}

const byPatchId = patchRead(
  'readPatch',
  'Read a patch of a quilt',
  [pathParameter('quilt_patch_id', 'As returned by the store of the quilt')],
  [invalidPatchId(), notAQuilt(undefined), patchNotFound()],
);

const byIdentifier = patchRead(
  'readPatchByIdentifier',
  'Read a patch by its identifier',
  [quiltId, pathParameter('identifier', 'One path segment: a slash in it is %2F')],
  [invalidIdFormat(), notAQuilt(undefined), patchNotFound()],
);

function patchList(operationId: string, summary: string): Operation {
  return {
    operationId,
    tags: ['Quilts'],
    summary,
    parameters: [quiltId],
    responses: {
      ...jsonAnswer(
        'In the order of their identifiers',
        listOf(schemaRef('QuiltPatch')),
        headerRefs('Content-Length', 'X-Content-Type-Options', 'Content-Security-Policy'),
      ),
      ...refusals(invalidIdFormat(), notAQuilt(undefined), ...readRefusals),
    },
  };
}

export const quiltPaths: Paths = {
  '/v1/blobs/by-quilt-patch-id/{quilt_patch_id}': withHead(byPatchId),
  '/v1/blobs/by-quilt-id/{quilt_id}/{identifier}': withHead(byIdentifier),
  '/v1/quilts/{quilt_id}/patches': withHead(patchList('listPatches', 'List the patches of a quilt')),
  '/quilts/{quilt_id}/patches': withHead(
    patchList('listPatchesUnversioned', 'The same at the path in the release notes'),
  ),
};
