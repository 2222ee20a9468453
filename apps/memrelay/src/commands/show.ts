import type { SingleMemory } from '@memrelay/sdk/single-memory';
import { type ConnectOptions, withClient } from '../client/connect.ts';
import { type DateOfEpoch, epochText, storageDates } from '../cost/storage-dates.ts';
import type { Paint } from '../terminal/colours.ts';
import { dataSize } from '../terminal/data-size.ts';
import type { Output } from '../terminal/output.ts';
import { columns, plainText, wrap } from '../terminal/plain-text.ts';
import { moment } from './list.ts';

/** Prints one memory with its text and its earlier and later versions. */
export async function show(output: Output, id: string, options: ConnectOptions): Promise<void> {
  const { memory, dateOf } = await withClient(options, async ({ client }) => {
    const [found, dates] = await Promise.all([client.memory(id), storageDates(client)]);
    return { memory: found, dateOf: dates };
  });
  output.result(json(memory));
  if (output.json) return;
  for (const line of memoryLines(memory, dateOf, output.width, output.paint)) output.line(line);
}

function memoryLines(memory: SingleMemory, dateOf: DateOfEpoch, width: number, paint: Paint): string[] {
  const { history } = memory;
  const fields = [
    ['Id', memory.id],
    ['Namespace', plainText(memory.namespace)],
    ...contextLines(memory),
    ['Stored', moment(memory.createdAt)],
    ['State', memory.lost ? `lost: ${memory.lost}` : memory.state],
    ['Size', dataSize(memory.size)],
    ...(memory.blobId ? [['Blob', memory.blobId]] : []),
    ...(memory.objectId ? [['Object', memory.objectId]] : []),
    ...(memory.expiresEpoch === undefined ? [] : [['Until', epochText(memory.expiresEpoch, dateOf)]]),
  ];
  return [
    ...wrap(textOf(memory), width),
    '',
    ...columns(fields.map(([name, value]) => [name!, paint('dim', value!)])),
    ...versionLines('Replaces:', history.earlier, paint),
    ...versionLines('Replaced by:', history.later, paint),
  ];
}

/** The context fields that the memory has. */
function contextLines(memory: SingleMemory): [string, string][] {
  const { session, speaker, happenedAt, tags = [], metadata, expiresAt } = memory;
  const lines: [string, string | undefined][] = [
    ['Session', session],
    ['Speaker', speaker],
    ['Happened', happenedAt],
    ['Tags', tags.length > 0 ? tags.join(', ') : undefined],
    ['Metadata', metadata && JSON.stringify(metadata)],
    ['Expires', expiresAt],
  ];
  return lines.flatMap(([name, value]) => (value === undefined ? [] : [[name, plainText(value)]]));
}

function versionLines(heading: string, versions: SingleMemory['history']['earlier'], paint: Paint): string[] {
  if (versions.length === 0) return [];
  return [
    '',
    heading,
    ...versions.flatMap((version) => [
      `  ${paint('dim', moment(version.createdAt))}  ${textOf(version)}`,
      paint('dim', `    id ${version.id}`),
    ]),
  ];
}

const textOf = ({ text }: { text?: string }): string =>
  text === undefined ? '(the text cannot be read right now)' : plainText(text);

/** As on the wire. */
function json(memory: SingleMemory) {
  const version = ({ id, createdAt, text }: SingleMemory['history']['earlier'][number]) => ({
    id,
    created_at: createdAt,
    ...(text === undefined ? {} : { text }),
  });
  return {
    id: memory.id,
    namespace: memory.namespace,
    ...(memory.session === undefined ? {} : { session: memory.session }),
    ...(memory.speaker === undefined ? {} : { speaker: memory.speaker }),
    ...(memory.happenedAt === undefined ? {} : { happened_at: memory.happenedAt }),
    ...(memory.tags === undefined ? {} : { tags: memory.tags }),
    ...(memory.metadata === undefined ? {} : { metadata: memory.metadata }),
    ...(memory.expiresAt === undefined ? {} : { expires_at: memory.expiresAt }),
    state: memory.state,
    ...(memory.lost ? { lost: memory.lost } : {}),
    ...(memory.text === undefined ? {} : { text: memory.text }),
    created_at: memory.createdAt,
    ...(memory.blobId ? { blob_id: memory.blobId } : {}),
    ...(memory.objectId ? { object_id: memory.objectId } : {}),
    ...(memory.expiresEpoch === undefined ? {} : { expires_epoch: memory.expiresEpoch }),
    size: memory.size,
    importance: memory.importance,
    ...(memory.supersededBy ? { superseded_by: memory.supersededBy } : {}),
    history: { earlier: memory.history.earlier.map(version), later: memory.history.later.map(version) },
  };
}
