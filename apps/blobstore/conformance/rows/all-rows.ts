import type { Row } from '../row.ts';
import { adminRows } from './admin.ts';
import { concatRows } from './concat.ts';
import { decisionRows } from './decisions.ts';
import { errorRows } from './errors.ts';
import { lifeRows } from './life.ts';
import { limitRows } from './limits.ts';
import { quiltRows } from './quilts.ts';
import { rangeRows } from './ranges.ts';
import { readRows } from './reads.ts';
import { relayRows } from './relay.ts';
import { restrictionRows } from './restrictions.ts';
import { serviceRows } from './service.ts';
import { storeRows } from './stores.ts';
import { tokenRows } from './tokens.ts';

/** The rows about lifetimes are last, because the last one ends an epoch if that is allowed. */
export const allRows: readonly Row[] = [
  ...serviceRows,
  ...storeRows,
  ...decisionRows,
  ...readRows,
  ...rangeRows,
  ...concatRows,
  ...quiltRows,
  ...errorRows,
  ...tokenRows,
  ...limitRows,
  ...restrictionRows,
  ...relayRows,
  ...adminRows,
  ...lifeRows,
];
