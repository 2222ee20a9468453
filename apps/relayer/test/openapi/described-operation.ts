import type { ErrorCode } from '@memrelay/protocol/errors';

/**
 * What the OpenAPI document says about each route, in addition to what the route itself declares (scope, cost and body
 * limit: `http/route.ts`) and to the schemas in packages/protocol.
 */
export interface DescribedOperation {
  id: string;
  tag: Tag;
  summary: string;
  description?: string;
  /** Schema of the body, as `file/constant` in packages/protocol; or of the query */
  body?: string;
  query?: string;
  /** Content type of a body without a schema of ours, with a description */
  otherBody?: Record<string, string>;
  /** Exported type of the JSON response, by status */
  answers?: Record<number, string>;
  /** Status and content types of responses without a schema of ours, with a description */
  otherAnswers?: Record<number, Record<string, string>>;
  /** Errors have another form than `ErrorBody`, as the description says */
  ownErrors?: true;
  /** Opens memories, so it needs a decrypt credential unless the server key is a delegate */
  reads?: true;
  /** Accepts an idempotency key */
  idempotent?: true;
  /** Codes in addition to those of all routes, of signed routes, and of `reads` and `idempotent` */
  errors?: readonly ErrorCode[];
}

export const tags = {
  Memories: 'Store, read, replace and forget memories',
  Recall: 'Find memories, and answer from them',
  Lists: 'What is stored, without its text',
  Jobs: 'The progress of memories that were accepted',
  'Manual mode': 'For clients that embed and encrypt themselves',
  Bundles: 'Export and import',
  Maintenance: 'Restore from the chain, keys, vectors',
  Webhooks: 'Signed requests to your own server; only if the operator has enabled them',
  Server: 'About this server and the caller',
  Sponsor: 'Transactions whose gas the operator pays',
  Tools: 'The tool server (Model Context Protocol)',
  'Sign-in': 'OAuth 2.1 for the tool server; only if the operator has enabled it',
} as const;
export type Tag = keyof typeof tags;
