import { Icon, type IconName } from '../parts/icon.tsx';
import { PageLink } from '../parts/page-link.tsx';
import { ShortId } from '../parts/short-id.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { useSession } from '../session/session-context.ts';
import { harmless } from '../ui/harmless-text.ts';
import type { FormerReader, Reader } from './readers.ts';

interface ReaderListProps {
  readers: readonly Reader[];
  former: readonly FormerReader[];
  /** The memory is forgotten */
  isGone: boolean;
}

/** Everyone who can read it and since when, and who could earlier. */
export function ReaderList({ readers, former, isGone }: ReaderListProps) {
  const { t, date } = useTexts();
  const { state, publicKey: ownKey } = useSession();
  const { recoveryKey } = state.account!;
  const earlier = isGone
    ? [...readers.map((reader) => ({ ...reader, until: undefined })), ...former]
    : former;
  return (
    <section className="panel">
      <h2>{t('access.readers.title')}</h2>
      <p className="hint">{t(isGone ? 'access.readers.gone' : 'access.readers.about')}</p>
      {isGone ? null : (
        <ul className="readers">
          <Row
            icon="lock"
            name={t('access.reader.owner')}
            facts={[t('access.reader.owner.about')]}
            id={state.address}
          />
          {readers.map(({ publicKey, label, since, until }) => (
            <Row
              key={publicKey}
              icon={publicKey === state.systemKey ? 'system' : publicKey === ownKey ? 'overview' : 'tool'}
              name={harmless(label, 60)}
              badge={
                publicKey === ownKey
                  ? t('keys.here')
                  : publicKey === state.systemKey
                    ? t('keys.system')
                    : undefined
              }
              facts={[
                since === undefined
                  ? t('access.reader.always')
                  : t('access.reader.since', { date: date(since) }),
                ...(until === undefined ? [] : [t('access.reader.until', { date: date(until) })]),
              ]}
              id={publicKey}
            />
          ))}
          {recoveryKey === undefined ? null : (
            <Row
              icon="key"
              name={t('access.reader.recovery')}
              facts={[t('access.reader.recovery.about')]}
              id={recoveryKey}
            />
          )}
        </ul>
      )}
      <h3>{t('access.reader.former')}</h3>
      {earlier.length === 0 ? (
        <p className="hint">{t('access.reader.none')}</p>
      ) : (
        <>
          <ul className="readers">
            {earlier.map(({ publicKey, label, until }) => (
              <Row
                key={`${publicKey} ${until}`}
                icon="tool"
                name={label === undefined ? undefined : harmless(label, 60)}
                facts={until === undefined ? [] : [t('access.reader.removed', { date: date(until) })]}
                id={publicKey}
              />
            ))}
          </ul>
          <p className="hint">{t('access.reader.former.about')}</p>
        </>
      )}
      <p className="panel-end">
        <PageLink to="/keys">{t('access.account.tools')}</PageLink>
      </p>
    </section>
  );
}

interface RowProps {
  icon: IconName;
  /** Undefined: only its id is known */
  name: string | undefined;
  badge?: string | undefined;
  facts: readonly string[];
  id: string;
}

function Row({ icon, name, badge, facts, id }: RowProps) {
  return (
    <li className="reader">
      <Icon name={icon} />
      <div>
        <p className="key-name">
          {name === undefined ? <ShortId id={id} /> : <bdi>{name}</bdi>}
          {badge === undefined ? null : <span className="badge">{badge}</span>}
        </p>
        <p className="row-facts">
          {facts.map((fact) => (
            <span key={fact}>{fact}</span>
          ))}
          {name === undefined ? null : <ShortId id={id} />}
        </p>
      </div>
    </li>
  );
}
