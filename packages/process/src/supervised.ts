/**
 * The protocol of a supervised part: it prints one line of JSON when it is ready, and exits when its stdin closes, so that a
 * killed parent leaves no orphan.
 */

/** Every part prints this to stdout, as one line of JSON, when it accepts connections. */
export interface ReadyLine {
  event: 'listening';
  url: string;
}

/** Set by a supervisor for the parts it starts. Without it a part ignores its stdin. */
export const supervisedVariable = 'MEMRELAY_SUPERVISED';
