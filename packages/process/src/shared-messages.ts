/** Messages over Node's IPC channel between a supervisor and a process that several parts share. */

/** To the process: start a part. */
export interface StartRequest {
  start: string;
  environment: NodeJS.ProcessEnv;
  logFd: number;
}

/** To the process: close a part. */
export interface CloseRequest {
  close: string;
}

export type SharedRequest = StartRequest | CloseRequest;

/** From the process, one for each request. */
export type SharedReply =
  | { part: string; event: 'listening'; url: string }
  | { part: string; event: 'failed'; reason: string }
  | { part: string; event: 'closed' };
