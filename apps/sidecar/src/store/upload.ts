/** One blob that goes to the network. */
export interface Upload {
  owner: string;
  epochs: number;
  /** Address of the wallet that pays; a publisher pays itself */
  wallet: string | undefined;
  jobId: string;
  /** True when this job may have begun before: what it reached is looked for on chain, so that nothing is paid twice */
  resume: boolean;
  /** What ends before this epoch is not the object that is wanted: the blob is being stored for longer */
  minEndEpoch: number | undefined;
}
