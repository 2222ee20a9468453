import type { Audit } from '@memrelay/sdk/audit';
import { useForget } from '../memories/forget-context.tsx';
import { useMemory, useStats } from '../memories/memory-queries.ts';
import { BusyNote } from '../parts/busy-note.tsx';
import { Button } from '../parts/button.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { PageLink } from '../parts/page-link.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { useSession } from '../session/session-context.ts';
import { harmless } from '../ui/harmless-text.ts';
import { useAudit, useBlobObjects, useLeftObjects, useNamespaceTag } from './access-queries.ts';
import { ForgottenNote } from './forgotten-note.tsx';
import { PlaceList } from './place-list.tsx';
import { ReaderList } from './reader-list.tsx';
import { readersOf } from './readers.ts';
import { forgottenAt, trailOf } from './trail.ts';
import { TrailList } from './trail-list.tsx';

interface MemoryAccessProps {
  id: string;
  namespace: string;
}

/** One memory: every place that holds a part of it, everyone who can read it, and what happened to it. */
export function MemoryAccess(props: MemoryAccessProps) {
  const { t } = useTexts();
  const { data, error, refetch } = useAudit();
  if (data) return <Loaded {...props} audit={data} />;
  if (error) return <ProblemNote error={error} onRetry={() => void refetch()} />;
  return <BusyNote text={t('app.loading')} />;
}

function Loaded({ id, namespace, audit }: MemoryAccessProps & { audit: Audit }) {
  const { t } = useTexts();
  const { state } = useSession();
  const { forget, hidden } = useForget();
  const { data: memory, error, isPending, refetch } = useMemory({ id });
  const { data: stats } = useStats();
  const at = forgottenAt(audit.entries, id);
  const left = useLeftObjects(id, memory?.namespace ?? namespace, at !== undefined);
  const objectIds = [...new Set([...(memory?.objectId ? [memory.objectId] : []), ...leftIds(left.data)])];
  const objects = useBlobObjects(objectIds);
  const tagOf = useNamespaceTag();
  if (at === undefined && isPending) return <BusyNote text={t('app.loading')} />;
  if (at === undefined && error && !memory)
    return 'code' in error && error.code === 'memory_not_found' ? (
      <EmptyState icon="search" title={t('missing.title')} about={t('access.gone.unknown')}>
        <PageLink to="/access" className="button main">
          {t('access.account.title')}
        </PageLink>
      </EmptyState>
    ) : (
      <ProblemNote error={error} onRetry={() => void refetch()} />
    );
  const named = memory?.namespace ?? namespace;
  const readable = {
    tag: tagOf(named),
    keyEpoch: memory?.sealedTo?.keyEpoch,
    storedAt: memory && Date.parse(memory.createdAt),
  };
  const isShared = left.data?.blobsShared !== undefined;
  return (
    <>
      <PageHead title={t('access.title')} about={t('access.namespace', { namespace: harmless(named, 128) })}>
        {at === undefined && memory ? (
          <Button
            kind="danger"
            icon="forget"
            text={t('action.forget')}
            isDisabled={hidden.has(id)}
            onPress={() => forget([memory])}
          />
        ) : null}
      </PageHead>
      {at === undefined ? (
        <blockquote className={hidden.has(id) ? 'excerpt going' : 'excerpt'}>
          <p>
            <bdi>{harmless(memory?.text ?? t('memories.unreadable'), 400)}</bdi>
          </p>
          <PageLink to={`/memories?memory=${id}`}>{t('access.back')}</PageLink>
        </blockquote>
      ) : (
        <ForgottenNote
          at={at}
          objectIds={(objects.data ?? []).map(({ objectId }) => objectId)}
          isShared={isShared}
          isKnown={left.data !== undefined && (objectIds.length === 0 || objects.data !== undefined)}
        />
      )}
      {left.error ? <ProblemNote error={left.error} onRetry={() => void left.refetch()} /> : null}
      {objects.error ? <ProblemNote error={objects.error} onRetry={() => void objects.refetch()} /> : null}
      <PlaceList
        memory={memory}
        isGoing={hidden.has(id)}
        isForgotten={at !== undefined}
        isShared={isShared}
        objects={objectIds.length === 0 ? [] : objects.data}
        epoch={stats?.expiry?.epoch}
      />
      <div className="columns">
        <ReaderList
          {...readersOf(state.account!, audit.entries, readable, Date.now())}
          isGone={at !== undefined}
        />
        <TrailList
          audit={audit}
          entries={trailOf(audit.entries, { id, tag: readable.tag, storedAt: readable.storedAt })}
          storedAt={memory?.createdAt}
        />
      </div>
    </>
  );
}

const leftIds = (left: { blobsToDelete: string[] } | undefined): string[] => left?.blobsToDelete ?? [];
