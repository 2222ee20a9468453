/** Why a file cannot be imported. */
export type ImportFileCode =
  /** Nothing in it can be remembered */
  | 'import_empty'
  | 'import_invalid_json'
  | 'import_invalid_zip'
  /** More than 1 GB when unpacked, or 500 MB of text */
  | 'import_too_large'
  | 'import_not_text'
  /** A zip without conversations, other JSON or notes */
  | 'import_no_files'
  /** A chat without a message of the chosen roles */
  | 'import_no_messages'
  | 'import_invalid_roles';

/** The file has nothing that can be imported. The message names the file. */
export class ImportFileError extends Error {
  override name = 'ImportFileError';
  readonly code: ImportFileCode;
  constructor(code: ImportFileCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
