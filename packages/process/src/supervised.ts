/**
 * How a part started by another behaves: it prints one JSON line when it is ready, and ends when its stdin
 * closes, so that a killed parent leaves no orphan.
 */

/** Written on stdout as one line of JSON by every part when it accepts connections. */
export interface ReadyLine {
  event: 'listening';
  url: string;
}

/** Set by a supervisor for the parts it starts; its absence leaves stdin alone. */
export const supervisedVariable = 'MEMRELAY_SUPERVISED';
