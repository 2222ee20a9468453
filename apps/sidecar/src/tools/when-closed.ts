import type { ServerResponse } from 'node:http';

/** Runs once the connection of an answer is done with, at once where it is already: its event is told only once. */
export function whenClosed(response: ServerResponse, done: () => void): void {
  if (response.closed) done();
  else response.once('close', done);
}
