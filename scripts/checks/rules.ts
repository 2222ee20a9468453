import { browserEntries } from './browser-entries.ts';
import { declaredDependencies } from './declared-dependencies.ts';
import { fileNames } from './file-names.ts';
import { fileSizes } from './file-sizes.ts';
import { folderOrder } from './folder-order.ts';
import { importCycles } from './import-cycles.ts';
import { importDirections } from './import-directions.ts';
import { localTraces } from './local-traces.ts';
import { lockfile } from './lockfile.ts';
import { moduleShape } from './module-shape.ts';
import { plainEnglish } from './plain-english.ts';
import { readmes } from './readmes.ts';
import type { Rule } from './rule.ts';
import { sqlInRows } from './sql-in-rows.ts';
import { unfinishedWork } from './unfinished-work.ts';

/** The house rules, in the order of the report. */
export const rules: readonly Rule[] = [
  importDirections,
  importCycles,
  folderOrder,
  sqlInRows,
  moduleShape,
  fileNames,
  fileSizes,
  declaredDependencies,
  browserEntries,
  readmes,
  plainEnglish,
  unfinishedWork,
  localTraces,
  lockfile,
];
