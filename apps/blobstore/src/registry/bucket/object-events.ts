import type { BlobAttributes, EventId, ObjectRecord } from '../blob-registry.ts';

/** Possible events of an object. A record contains one or more events that happened together. */
export type ObjectEvent =
  | { kind: 'registered'; object: ObjectRecord['object']; event: EventId }
  | { kind: 'certified'; epoch: number; event: EventId }
  | { kind: 'extended'; endEpoch: number }
  | { kind: 'attributes'; changes: Readonly<Record<string, string | null>> }
  /** The publisher transferred, shared or destroyed the object; its blob stays */
  | { kind: 'released'; sharedBlobObject?: string; burnt?: boolean }
  | { kind: 'deleted'; epoch: number };

/** Attributes after a change. Null removes an attribute. */
function changedAttributes(
  attributes: BlobAttributes,
  changes: Readonly<Record<string, string | null>>,
): BlobAttributes {
  const merged = Object.entries({ ...attributes, ...changes });
  return Object.fromEntries(merged.flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}

function applied(record: ObjectRecord, event: ObjectEvent): ObjectRecord {
  const { object } = record;
  switch (event.kind) {
    case 'certified':
      // If two instances certify a registration concurrently, the first record counts.
      if (object.certifiedEpoch !== null) return record;
      return { ...record, object: { ...object, certifiedEpoch: event.epoch }, event: event.event };
    case 'extended': {
      // Two concurrent extensions have each promised an end, and the later end satisfies both.
      const endEpoch = Math.max(object.storage.endEpoch, event.endEpoch);
      return { ...record, object: { ...object, storage: { ...object.storage, endEpoch } } };
    }
    case 'attributes':
      return { ...record, attributes: changedAttributes(record.attributes, event.changes) };
    case 'released': {
      const { sharedBlobObject, burnt = false } = event;
      const shared = sharedBlobObject === undefined ? {} : { sharedBlobObject };
      return { ...record, ...shared, owned: false, burnt: record.burnt || burnt };
    }
    default:
      return record;
  }
}

/** An object after its events, in their order; undefined when it was deleted, or never registered. */
export function foldEvents(events: readonly ObjectEvent[]): ObjectRecord | undefined {
  let record: ObjectRecord | undefined;
  for (const event of events) {
    if (event.kind === 'deleted') return undefined;
    if (event.kind === 'registered') {
      record ??= {
        object: event.object,
        attributes: {},
        owned: true,
        burnt: false,
        event: event.event,
      };
    } else if (record !== undefined) record = applied(record, event);
  }
  return record;
}
