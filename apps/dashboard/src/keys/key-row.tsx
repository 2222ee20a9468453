import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { ShortId } from '../parts/short-id.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { permissions } from '../scope/scope-choice.ts';
import { harmless } from '../ui/harmless-text.ts';
import type { DelegateState } from '../wallet/wallet-api.ts';
import type { Grant } from './use-key-facts.ts';

interface KeyRowProps {
  delegate: DelegateState;
  /** The command on this computer signs with it */
  isSystems: boolean;
  /** This browser signs with it */
  isOwn: boolean;
  /** The sign-in over HTTP that it was made for */
  grant: Grant | undefined;
  /** RFC 3339 */
  lastUsed: string | undefined;
  /** Otherwise it is not known whether the key was used */
  knowsUses: boolean;
  onRevoke: () => void;
}

const rights = ['read', 'write', 'forget'] as const;

export function KeyRow(props: KeyRowProps) {
  const { delegate, isSystems, isOwn, grant, lastUsed, knowsUses, onRevoke } = props;
  const { t, counted, date, ago } = useTexts();
  const { label, scope, createdAt, publicKey } = delegate;
  const end = Number(scope.expiresAtMs);
  const isExpired = end !== 0 && end <= Date.now();
  // The chain allows times that Date cannot represent
  const until = end === 0 || Number.isNaN(new Date(end).getTime()) ? undefined : date(end);
  return (
    <li className="key-row">
      <span className="key-icon">
        <Icon name={isSystems ? 'system' : isOwn ? 'overview' : 'tool'} />
      </span>
      <div className="key-text">
        <p className="key-name">
          <bdi>{harmless(label, 60)}</bdi>
          {isSystems ? <span className="badge">{t('keys.system')}</span> : null}
          {isOwn ? <span className="badge">{t('keys.here')}</span> : null}
          {grant ? <span className="badge">{t('keys.grant')}</span> : null}
          {grant?.isEnded ? <span className="badge bad">{t('keys.grant.ended')}</span> : null}
          {isExpired ? <span className="badge bad">{t('keys.expired')}</span> : null}
        </p>
        <p className="row-facts">
          {rights
            .filter((right) => (scope.perms & permissions[right]) !== 0)
            .map((right) => (
              <span key={right} className="tag">
                {t(`scope.${right}`)}
              </span>
            ))}
          <span>
            {scope.allNamespaces ? t('scope.everywhere') : counted('scope.namespaces', scope.tags.length)}
          </span>
          <span>{until === undefined ? t('scope.unlimited') : t('scope.until', { date: until })}</span>
          <span>{t('keys.added', { date: date(createdAt) })}</span>
          {knowsUses ? (
            <span>
              {lastUsed === undefined ? t('keys.used.never') : t('keys.used', { time: ago(lastUsed) })}
            </span>
          ) : null}
          <ShortId id={publicKey} />
        </p>
        {grant ? (
          <p className="hint">
            {t(
              grant.isEnded
                ? 'keys.grant.ended.about'
                : grant.isUsed
                  ? 'keys.grant.about'
                  : 'keys.grant.waiting',
            )}
          </p>
        ) : null}
        {isSystems ? <p className="hint">{t('keys.system.about')}</p> : null}
      </div>
      <Button
        small
        text={t('keys.revoke')}
        aria-label={t('keys.revoke.label', { name: harmless(label, 60) })}
        onPress={onRevoke}
      />
    </li>
  );
}
