import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodePrimitives } from '../src/node-primitives.ts';
import { buildVectors } from './vector-cases.ts';

/** Rewrites the vectors: `node packages/envelope/test/write-vectors.ts`. Run it only when the format itself changes. */
const file = join(import.meta.dirname, '../vectors/envelope-v1.json');
writeFileSync(file, `${JSON.stringify(buildVectors(nodePrimitives), null, 2)}\n`);
