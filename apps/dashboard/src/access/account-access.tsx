import type { AccountKey } from '@memrelay/sdk/keys';
import type { NamespaceEntry } from '@memrelay/sdk/types';
import { useState } from 'react';
import { Button as AriaButton } from 'react-aria-components/Button';
import { Disclosure, DisclosurePanel } from 'react-aria-components/Disclosure';
import { useDeleteBlobs } from '../memories/delete-blobs.ts';
import { useNamespaces, useStats } from '../memories/memory-queries.ts';
import { BusyNote } from '../parts/busy-note.tsx';
import { Button } from '../parts/button.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Icon } from '../parts/icon.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { ShortId } from '../parts/short-id.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { useSession } from '../session/session-context.ts';
import { harmless } from '../ui/harmless-text.ts';
import { useAccountKeys, useAudit, useBlobObjects, useNamespaceTag } from './access-queries.ts';
import { type Reader, readersOf } from './readers.ts';
import { TrailList } from './trail-list.tsx';

/** All namespaces with their keys and readers, blobs that can be deleted, and the whole audit log. */
export function AccountAccess() {
  const { t } = useTexts();
  const { state } = useSession();
  const namespaces = useNamespaces();
  const keys = useAccountKeys();
  const audit = useAudit();
  const tagOf = useNamespaceTag();
  const error = namespaces.error ?? keys.error ?? audit.error;
  const retry = (): void => {
    for (const query of [namespaces, keys, audit]) if (query.error) void query.refetch();
  };
  const entries = audit.data?.entries ?? [];
  return (
    <>
      <PageHead title={t('access.account.title')} about={t('access.account.about')} />
      {error ? <ProblemNote error={error} onRetry={retry} /> : null}
      <UnneededBlobs />
      {namespaces.data?.length === 0 ? (
        <EmptyState icon="lock" title={t('access.account.none')} about={t('access.account.none.about')} />
      ) : null}
      {!error && (!namespaces.data || !keys.data || !audit.data) ? (
        <BusyNote text={t('app.loading')} />
      ) : null}
      {namespaces.data && namespaces.data.length > 0 && keys.data && audit.data ? (
        <section className="panel">
          <h2>{t('access.account.namespaces')}</h2>
          <ul className="access-namespaces">
            {namespaces.data.map((each) => (
              <NamespaceRow
                key={each.namespace}
                entry={each}
                keys={keys.data.filter(({ namespace }) => namespace === each.namespace)}
                readers={
                  readersOf(
                    state.account!,
                    entries,
                    { tag: tagOf(each.namespace), keyEpoch: undefined, storedAt: undefined },
                    Date.now(),
                  ).readers
                }
              />
            ))}
          </ul>
        </section>
      ) : null}
      {audit.data ? <TrailList audit={audit.data} entries={entries.toReversed()} /> : null}
    </>
  );
}

interface NamespaceRowProps {
  entry: NamespaceEntry;
  keys: readonly AccountKey[];
  readers: readonly Reader[];
}

function NamespaceRow({ entry, keys, readers }: NamespaceRowProps) {
  const { t, counted, bytes, date } = useTexts();
  return (
    <li>
      <Disclosure className="why">
        <AriaButton slot="trigger" className="access-namespace">
          <span className="namespace">{harmless(entry.namespace, 60)}</span>
          <span className="row-facts">
            <span>{counted('memories.count', entry.memoryCount)}</span>
            <span>{bytes(entry.storageBytes)}</span>
            <span>{counted('access.account.readers', readers.length + 1)}</span>
          </span>
          <Icon name="chevron" size={16} />
        </AriaButton>
        <DisclosurePanel className="why-panel">
          <h3>{t('access.account.keys')}</h3>
          <ul className="access-keys">
            {keys
              .toSorted((a, b) => b.keyEpoch - a.keyEpoch)
              .map(({ recipientPk, keyEpoch, current }) => (
                <li key={recipientPk} className="row-facts">
                  <Icon name="key" size={16} />
                  <span>{t('access.account.key', { epoch: keyEpoch })}</span>
                  <ShortId id={recipientPk} />
                  {current ? null : <span className="badge bad">{t('access.account.key.old')}</span>}
                </li>
              ))}
          </ul>
          <h3>{t('access.readers.title')}</h3>
          <ul className="access-keys">
            <li className="row-facts">
              <Icon name="lock" size={16} />
              <span>{t('access.reader.owner')}</span>
            </li>
            {readers.map(({ publicKey, label, since, until }) => (
              <li key={publicKey} className="row-facts">
                <Icon name="tool" size={16} />
                <bdi>{harmless(label, 60)}</bdi>
                {since === undefined ? null : <span>{t('access.reader.since', { date: date(since) })}</span>}
                {until === undefined ? null : <span>{t('access.reader.until', { date: date(until) })}</span>}
              </li>
            ))}
          </ul>
        </DisclosurePanel>
      </Disclosure>
    </li>
  );
}

/** Blob objects that no memory needs, which one signature deletes. Nothing if there are none. */
function UnneededBlobs() {
  const { t, counted } = useTexts();
  const { data: stats } = useStats();
  const { data: objects = [] } = useBlobObjects(stats?.blobsToDelete ?? []);
  const deleteBlobs = useDeleteBlobs();
  const [isDeleting, setIsDeleting] = useState(false);
  if (objects.length === 0) return null;
  return (
    <div className="gone-note">
      <Icon name="archive" size={22} />
      <div>
        <h2>{counted('access.account.blobs', objects.length)}</h2>
        <p>{t('access.account.blobs.about')}</p>
      </div>
      <Button
        kind="danger"
        icon="forget"
        text={t('access.account.blobs.delete')}
        isBusy={isDeleting}
        onPress={() => {
          setIsDeleting(true);
          void deleteBlobs(objects.map(({ objectId }) => objectId)).finally(() => setIsDeleting(false));
        }}
      />
    </div>
  );
}
