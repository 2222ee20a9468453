/** Why a file cannot be imported. */
export type ImportFileProblem =
  /** Nothing in it can be remembered */
  | 'empty'
  | 'invalid_json'
  | 'invalid_zip'
  /** More than 1 GB when unpacked */
  | 'too_large'
  /** A zip without conversations, other JSON or notes */
  | 'no_files'
  /** A chat without a message of the chosen roles */
  | 'no_messages'
  | 'invalid_roles';

/** The file has nothing that can be imported. The message names the file. */
export class ImportFileError extends Error {
  override name = 'ImportFileError';
  readonly problem: ImportFileProblem;
  constructor(problem: ImportFileProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.problem = problem;
  }
}
