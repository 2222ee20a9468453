import type { AccountAbortName } from '@memrelay/chain/account-limits';

/** Arguments of a call in order, without the account and the clock; bytes as hex, u64 as decimal text. */
export type Arg =
  | { type: 'vector<u8>'; value: string }
  | { type: 'vector<vector<u8>>'; value: string[] }
  | { type: 'address'; value: string }
  | { type: 'string'; value: string }
  | { type: 'u8'; value: number }
  | { type: 'u64'; value: string }
  | { type: 'bool'; value: boolean };

/** One transaction of a scenario. */
export interface Step {
  sender: string;
  /** A function of the module, or `set_version_for_testing`, which simulates an upgraded package */
  function: string;
  /** Name of the account that the function is called with. `new_account` creates the account with that name. */
  account: string;
  args: Arg[];
  /** Time of the clock, in ms */
  clock_ms: number;
  /** Expected abort; the step must succeed if absent */
  abort?: AccountAbortName;
  /** Expected key epoch of the account after a step that succeeds */
  key_epoch?: number;
}

/** Transactions on a fresh chain, one after the other. A step that aborts changes nothing for the next. */
export interface Scenario {
  name: string;
  steps: Step[];
}

/** A step with its result, as in `vectors/account.json`. */
export type RecordedStep = Omit<Step, 'abort' | 'key_epoch'> & {
  /** `ok`, or the abort code */
  result: 'ok' | number;
  /** BCS of the account after the step, hex; absent for `create_account` and for read-only functions */
  account_bcs?: string;
  /** BCS of the registry after the step, hex; absent if it did not change */
  registry_bcs?: string;
  events: { name: string; bcs: string }[];
};

export interface RecordedScenario {
  name: string;
  steps: RecordedStep[];
}
