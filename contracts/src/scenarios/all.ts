import type { Scenario } from '../scenario.ts';
import { accountScenarios } from './accounts.ts';
import { addingScenarios } from './adding.ts';
import { approvalScenarios } from './approval.ts';
import { ownershipScenarios } from './ownership.ts';
import { removingScenarios } from './removing.ts';
import { rescopingScenarios } from './rescoping.ts';
import { revocationScenarios } from './revocation.ts';
import { scopedScenarios } from './scoped.ts';

/** The hand-written table that the Move VM and every other implementation of the account module must match. */
export const scenarios: readonly Scenario[] = [
  ...accountScenarios,
  ...addingScenarios,
  ...scopedScenarios,
  ...rescopingScenarios,
  ...removingScenarios,
  ...ownershipScenarios,
  ...approvalScenarios,
  ...revocationScenarios,
];
