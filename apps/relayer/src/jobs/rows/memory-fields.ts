/** Columns of the table `memory` that statements of several rooms read. */
interface MemoryRow {
  account_id: Buffer;
  id: string;
  namespace: string;
  blob_id: string | null;
  object_id: string | null;
  envelope_id: Buffer | null;
  envelope_sha256: Buffer;
  size: number;
  importance: number;
  created_at: Date;
  end_epoch: number | null;
}

const fieldOf = {
  account_id: 'accountId',
  id: 'id',
  namespace: 'namespace',
  blob_id: 'blobId',
  object_id: 'objectId',
  envelope_id: 'envelopeId',
  envelope_sha256: 'envelopeSha256',
  size: 'size',
  importance: 'importance',
  created_at: 'createdAt',
  end_epoch: 'endEpoch',
} as const satisfies Record<keyof MemoryRow, string>;

const columns = Object.entries(fieldOf) as [keyof MemoryRow, string][];

/** A row of some of these columns. Where a statement leaves out nulls, `Present` names the column. */
export type MemoryColumns<Column extends keyof MemoryRow, Present extends keyof MemoryRow = never> = {
  [Name in Column]: Name extends Present ? NonNullable<MemoryRow[Name]> : MemoryRow[Name];
};

type MemoryFields<Row> = {
  [Name in keyof Row & keyof MemoryRow as (typeof fieldOf)[Name]]:
    | Exclude<Row[Name], null>
    | (null extends Row[Name] ? undefined : never);
};

/** The fields of a memory for those of its columns that a row has; null becomes undefined. */
export function memoryFields<Row extends Partial<MemoryRow>>(row: Row): MemoryFields<Row> {
  const fields: Record<string, unknown> = {};
  for (const [column, field] of columns) if (column in row) fields[field] = row[column] ?? undefined;
  return fields as MemoryFields<Row>;
}
