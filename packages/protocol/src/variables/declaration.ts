/** `client` is the command and the stdio tool package. */
export type VariableReader = 'relayer' | 'sidecar' | 'localnet' | 'blobstore' | 'dashboard' | 'client';

/** What a value must look like. The relayer has a parser for each kind (apps/relayer/src/base/config/variable-forms.ts). */
export type VariableForm =
  | { kind: 'integer'; min: number; max: number }
  /** `off` means that something does not happen, and stays `off` */
  | { kind: 'integer-or-off'; min: number; max: number }
  /** A number of uses; `off` is no limit */
  | { kind: 'limit'; min: number }
  | { kind: 'choice'; values: readonly string[] }
  | { kind: 'text'; maxLength?: number }
  /** Sent in a header */
  | { kind: 'secret'; minLength: number }
  | { kind: PlainKind };

/** Kinds without parameters. */
type PlainKind =
  | 'check-values'
  | 'database-url'
  | 'flag'
  | 'hex-key'
  | 'hex-keys'
  | 'host-names'
  | 'key-server-sets'
  | 'key-servers'
  | 'listen-host'
  | 'log-filter'
  | 'object-id'
  | 'object-ids'
  | 'origin'
  | 'origins'
  | 'private-key'
  | 'private-keys'
  | 'public-url'
  | 'redis-url'
  | 'switch'
  | 'url'
  | 'urls';

export interface VariableDeclaration {
  readBy: readonly VariableReader[];
  /**
   * How `memrelay up` treats a value in its environment: it `passes` the value on, perhaps with its own default, or
   * `decides` the value itself, as for ports and secrets of this machine and addresses of the embedded network.
   * Default: `passes`.
   */
  localSystem?: 'passes' | 'decides';
  form: VariableForm;
  /** The relayer does not start without it */
  required?: boolean;
  /** Read in place of an unset variable; an empty text is an empty list */
  default?: string;
  /** Markdown for the documentation, where the default depends on other settings */
  shownDefault?: string;
  /** Markdown for docs/configuration.md, to whose folder its links are relative */
  meaning: string;
}

export type VariableDeclarations = Readonly<Record<string, VariableDeclaration>>;
