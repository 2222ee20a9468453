import type { SingleMemory } from '@memrelay/sdk/single-memory';
import type { ReactNode } from 'react';
import { Icon, type IconName } from '../parts/icon.tsx';
import { ShortId } from '../parts/short-id.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { useSession } from '../session/session-context.ts';
import type { BlobState } from '../wallet/wallet-api.ts';

interface PlaceListProps {
  /** As it was before it was forgotten; undefined if the page was opened later */
  memory: SingleMemory | undefined;
  isGoing: boolean;
  isForgotten: boolean;
  isShared: boolean;
  /** Its objects that exist on chain; undefined while they are being read */
  objects: readonly BlobState[] | undefined;
  /** The current storage epoch */
  epoch: number | undefined;
}

type State = 'present' | 'waiting' | 'going' | 'removed' | 'deleted' | 'left' | 'kept' | 'unknown';

/** Every place that holds a part of the memory, with what is there now. */
export function PlaceList({ memory, isGoing, isForgotten, isShared, objects, epoch }: PlaceListProps) {
  const { t, bytes } = useTexts();
  const { state: wallet } = useSession();
  const [object] = objects ?? [];
  const onChain = stateOnChain();
  const blobId = memory?.blobId ?? object?.blobId;
  const size = memory?.size;
  const endEpoch = object?.endEpoch ?? memory?.expiresEpoch;
  return (
    <section>
      <h2 className="section-title">{t('access.place.title')}</h2>
      <ol className="places">
        <Place
          icon="search"
          title={t('access.index')}
          about={t('access.index.about', { host: new URL(wallet.relayerUrl).host })}
          state={isForgotten ? 'removed' : isGoing ? 'going' : 'present'}
          facts={[[t('detail.id'), memory && <ShortId id={memory.id} />]]}
        />
        <Place
          icon="archive"
          title={t('access.blob')}
          about={t('access.blob.about')}
          state={onChain}
          facts={[
            [t('access.id'), blobId && <ShortId id={blobId} />],
            [t('access.size'), size === undefined ? undefined : bytes(size)],
          ]}
        />
        <Place
          icon="overview"
          title={t('access.object')}
          about={t('access.object.about')}
          state={onChain}
          facts={[
            [t('access.id'), objectId() && <ShortId id={objectId()!} />],
            [
              t('access.until'),
              endEpoch === undefined
                ? undefined
                : epoch === undefined
                  ? t('detail.epoch', { epoch: endEpoch })
                  : t('access.until.value', { epoch: endEpoch, now: epoch }),
            ],
          ]}
        />
        <Place
          icon="key"
          title={t('access.key')}
          about={isForgotten ? t('access.key.kept') : t('access.key.about')}
          state={isForgotten ? 'kept' : memory?.sealedTo ? 'present' : 'unknown'}
          facts={
            memory?.sealedTo
              ? [
                  [t('access.id'), <ShortId key="k" id={memory.sealedTo.recipientPk} />],
                  [
                    t('access.epoch'),
                    t('access.epoch.value', {
                      epoch: memory.sealedTo.keyEpoch,
                      now: wallet.account!.keyEpoch,
                    }),
                  ],
                ]
              : []
          }
        />
      </ol>
    </section>
  );

  function objectId(): string | undefined {
    return object?.objectId ?? memory?.objectId;
  }

  function stateOnChain(): State {
    if (objects === undefined) return 'unknown';
    if (isForgotten) return object || isShared ? 'left' : 'deleted';
    if (memory?.objectId === undefined) return 'waiting';
    if (!object) return 'deleted';
    return isGoing ? 'going' : 'present';
  }
}

interface PlaceProps {
  icon: IconName;
  title: string;
  about: string;
  state: State;
  facts: readonly (readonly [string, ReactNode])[];
}

function Place({ icon, title, about, state, facts }: PlaceProps) {
  const { t } = useTexts();
  return (
    <li className={`place ${state}`}>
      <span className="key-icon">
        <Icon name={icon} />
      </span>
      <div className="place-text">
        <div className="place-head">
          <h3>{title}</h3>
          <span className={`state ${state}`}>{t(`access.state.${state}`)}</span>
        </div>
        <p className="hint">{about}</p>
        <dl className="place-facts">
          {facts.map(([name, value]) =>
            value ? (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ) : null,
          )}
        </dl>
      </div>
    </li>
  );
}
