import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { ShortId } from '../parts/short-id.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { permissions } from '../scope/scope-choice.ts';
import { harmless } from '../ui/harmless-text.ts';
import type { DelegateState } from '../wallet/wallet-api.ts';

interface KeyRowProps {
  delegate: DelegateState;
  /** The command on this computer signs with it */
  isSystems: boolean;
  /** This browser signs with it */
  isOwn: boolean;
  onRevoke: () => void;
}

const rights = ['read', 'write', 'forget'] as const;

export function KeyRow({ delegate, isSystems, isOwn, onRevoke }: KeyRowProps) {
  const { t, counted, date } = useTexts();
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
          <ShortId id={publicKey} />
        </p>
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
