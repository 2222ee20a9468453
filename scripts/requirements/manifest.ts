import { repository } from './repository.ts';

/** One normative statement of the specification, and the tests that prove it (docs/requirements/README.md). */
export interface Requirement {
  /** Stable and dotted, e.g. `auth.nonce-replay` */
  id: string;
  /** Document and section of the specification, e.g. `relayer.md#authentication` */
  source: string;
  statement: string;
  status: 'built' | 'planned';
  /** `path > title`, or with the titles of the `describe` blocks between; at least one when built */
  tests?: string[];
  /** The subject on which the statement depends; present when planned */
  planned?: string;
}

/** The subjects of planned statements. */
export const subjects: readonly string[] = [
  'the blob store as a product',
  'owners and keys on chain',
  'the pipeline under faults',
  'recall, analyze, ask and restore',
  'the tool server',
  'the dashboard',
  'operation at scale',
];

const folder = 'docs/requirements/';

export const manifestFiles: readonly string[] = repository.paths.filter(
  (path) => path.startsWith(folder) && path.endsWith('.json'),
);

/** All entries. Their format is not checked here. */
export function readManifest(): Requirement[] {
  return manifestFiles.flatMap((path) => JSON.parse(repository.read(path)) as Requirement[]);
}
