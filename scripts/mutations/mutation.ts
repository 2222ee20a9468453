/** A change of the source that makes one statement of the requirements manifest false. */
export interface Mutation {
  /** Id of the statement */
  breaks: string;
  /** Path from the root of the repository */
  file: string;
  /** Occurs exactly once in the file */
  from: string;
  /** Replacement, with which the code still compiles */
  to: string;
}
