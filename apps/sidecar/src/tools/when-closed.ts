import type { ServerResponse } from 'node:http';

/** Calls `done` when the connection of a response closes, or immediately if it already has: the event fires only once. */
export function whenClosed(response: ServerResponse, done: () => void): void {
  if (response.closed) done();
  else response.once('close', done);
}
