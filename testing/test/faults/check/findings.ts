/** Findings after a round, or after the whole run. Each entry has the details needed to investigate it. */
export interface Findings {
  acknowledged: number;
  done: number;
  /** Jobs that failed with a reason; all of them must be done after a retry */
  failed: number;
  /** Acknowledged but missing: no job, no memory, or not found by recall */
  lost: string[];
  /** Present more than once, or present although it is in no response */
  doubled: string[];
  /** Forgotten but present again */
  undead: string[];
  /** Paid twice, and in no list that an owner or operator can see */
  unlisted: string[];
  /** Objects beyond one for each blob */
  paidTwice: number;
  /** Paid for but never certified, and still owned by the publisher */
  leftWithPublisher: number;
  /** Files that contain a text of the load in readable form */
  canary: string[];
  /** Other broken promises */
  broken: string[];
}

export const noFindings = (): Findings => ({
  acknowledged: 0,
  done: 0,
  failed: 0,
  lost: [],
  doubled: [],
  undead: [],
  unlisted: [],
  paidTwice: 0,
  leftWithPublisher: 0,
  canary: [],
  broken: [],
});

/** Whether a run found no broken promise. */
export const keepsAllPromises = ({ lost, doubled, undead, unlisted, canary, broken }: Findings): boolean =>
  [lost, doubled, undead, unlisted, canary, broken].every((list) => list.length === 0);

/** Whether a run may continue: later findings would be consequences of the earlier ones. */
export const mayContinue = ({ lost, doubled, undead }: Findings): boolean =>
  [lost, doubled, undead].every((list) => list.length === 0);
