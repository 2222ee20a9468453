import type { SingleMemory } from '@memrelay/sdk/single-memory';
import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { PageLink } from '../parts/page-link.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Sheet } from '../parts/sheet.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { EditMemory } from './edit-memory.tsx';
import { useForget } from './forget-context.tsx';
import { MemoryFacts } from './memory-facts.tsx';
import { MemoryHistory } from './memory-history.tsx';
import { useMemory } from './memory-queries.ts';
import { MemoryState } from './memory-state.tsx';

/** One memory with everything that is known about it. */
export function MemoryDetail({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTexts();
  const { data, error, isPending, refetch } = useMemory({ id });
  return (
    <Sheet title={t('detail.title')} place="side" onClose={onClose}>
      {error ? <ProblemNote error={error} onRetry={() => void refetch()} /> : null}
      {isPending ? <p className="hint">{t('app.loading')}</p> : null}
      {data ? <Loaded key={id} memory={data} onClose={onClose} /> : null}
    </Sheet>
  );
}

function Loaded({ memory, onClose }: { memory: SingleMemory; onClose: () => void }) {
  const { t } = useTexts();
  const { forget } = useForget();
  const [isEditing, setIsEditing] = useState(false);
  const { text, lost, state, supersededBy } = memory;
  const gone = t(state === 'lost' ? 'memories.gone' : 'memories.unreadable');
  return (
    <>
      {isEditing && text !== undefined ? (
        <EditMemory id={memory.id} text={text} onCancel={() => setIsEditing(false)} onDone={onClose} />
      ) : (
        <>
          <p className="detail-text">
            <bdi>{text ?? gone}</bdi>
          </p>
          <div className="detail-actions">
            <MemoryState entry={{ lost, pending: state === 'pending', supersededBy }} />
            <span className="gap" />
            {text === undefined || supersededBy !== undefined ? null : (
              <Button small icon="edit" text={t('action.edit')} onPress={() => setIsEditing(true)} />
            )}
            <Button
              small
              kind="danger"
              icon="forget"
              text={t('action.forget')}
              onPress={() => {
                onClose();
                forget([memory]);
              }}
            />
          </div>
        </>
      )}
      <MemoryFacts memory={memory} />
      <p className="panel-end">
        <PageLink to={`/access?memory=${memory.id}&namespace=${encodeURIComponent(memory.namespace)}`}>
          {t('access.open')}
        </PageLink>
      </p>
      <MemoryHistory memory={memory} />
    </>
  );
}
