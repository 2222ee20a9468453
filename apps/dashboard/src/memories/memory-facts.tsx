import type { SingleMemory } from '@memrelay/sdk/single-memory';
import type { ReactNode } from 'react';
import { ShortId } from '../parts/short-id.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { harmless } from '../ui/harmless-text.ts';

/** The fields of a memory, and where it is stored. */
export function MemoryFacts({ memory }: { memory: SingleMemory }) {
  const { t, bytes, dateTime, number } = useTexts();
  const { tags = [], metadata = {} } = memory;
  const rows: (readonly [string, ReactNode | undefined])[] = [
    [
      t('detail.namespace'),
      <span key="n" className="namespace">
        {harmless(memory.namespace, 128)}
      </span>,
    ],
    [
      t('detail.tags'),
      tags.length === 0
        ? undefined
        : tags.map((tag) => (
            <span key={tag} className="tag">
              {harmless(tag, 64)}
            </span>
          )),
    ],
    [t('detail.session'), memory.session && harmless(memory.session, 128)],
    [t('detail.speaker'), memory.speaker && harmless(memory.speaker, 128)],
    [t('detail.happened'), memory.happenedAt && dateTime(memory.happenedAt)],
    [t('detail.until'), memory.expiresAt && dateTime(memory.expiresAt)],
    ...Object.entries(metadata).map(
      ([name, value]) => [harmless(name, 64), harmless(String(value), 200)] as const,
    ),
    [t('detail.stored'), dateTime(memory.createdAt)],
    [t('detail.size'), bytes(memory.size)],
    [t('detail.importance'), number(memory.importance)],
    [
      t('detail.expires'),
      memory.expiresEpoch === undefined ? undefined : t('detail.epoch', { epoch: memory.expiresEpoch }),
    ],
    [t('detail.blob'), memory.blobId && <ShortId id={memory.blobId} />],
    [t('detail.object'), memory.objectId && <ShortId id={memory.objectId} />],
    [t('detail.id'), <ShortId key="i" id={memory.id} />],
  ];
  return (
    <section>
      <h3>{t('detail.facts')}</h3>
      <dl className="facts">
        {rows.map(([name, value]) =>
          value === undefined ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
    </section>
  );
}
