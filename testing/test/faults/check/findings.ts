/** What was found after a round, or after all. Each list has what a person needs to look into it. */
export interface Findings {
  acknowledged: number;
  done: number;
  /** Ended with a reason; all of them must be done after a retry */
  failed: number;
  /** Acknowledged, and not there: no job, no memory, or nothing that a recall finds */
  lost: string[];
  /** There more than once, or there without having been acknowledged more often than it was sent */
  doubled: string[];
  /** Forgotten, and there */
  undead: string[];
  /** Paid twice, and in no list that an owner or operator sees */
  unlisted: string[];
  /** Objects beyond one for each blob */
  paidTwice: number;
  /** Paid for, and never certified: still with the publisher */
  leftWithPublisher: number;
  /** Files in which a text of the load stands in a readable form */
  canary: string[];
  /** Other promises that did not hold */
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

export const isWhole = ({ lost, doubled, undead, unlisted, canary, broken }: Findings): boolean =>
  [lost, doubled, undead, unlisted, canary, broken].every((list) => list.length === 0);

/** Whether a run may go on: what it finds next would follow from what it has found. */
export const isSound = ({ lost, doubled, undead }: Findings): boolean =>
  [lost, doubled, undead].every((list) => list.length === 0);
