import type { ReactNode } from 'react';
import { Icon } from '../parts/icon.tsx';
import { PageLink } from '../parts/page-link.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { Preferences } from './preferences.tsx';

/** Vite replaces it by the address of the built file. */
const mark = new URL('../ui/mark.svg', import.meta.url).href;

const pages = [
  ['/', 'overview', 'nav.overview'],
  ['/memories', 'memories', 'nav.memories'],
  ['/access', 'lock', 'nav.access'],
  ['/connect', 'tool', 'nav.connect'],
  ['/keys', 'key', 'nav.keys'],
] as const;

/** Navigation around every page: at the side, or at the bottom of a phone. */
export function Frame({ relayerUrl, children }: { relayerUrl: string | undefined; children: ReactNode }) {
  const { t } = useTexts();
  return (
    <div className="frame">
      <a className="skip" href="#content">
        {t('app.skip')}
      </a>
      <header className="sidebar">
        <PageLink to="/" className="brand">
          <img src={mark} alt="" width={26} height={26} />
          {t('app.name')}
        </PageLink>
        <nav aria-label={t('nav.label')} className="nav">
          {pages.map(([to, icon, text]) => (
            <PageLink key={to} to={to} className="nav-link">
              <Icon name={icon} />
              {t(text)}
            </PageLink>
          ))}
        </nav>
        <div className="sidebar-end">
          {relayerUrl === undefined ? null : (
            <p className="mode">
              <Icon name="lock" size={16} />
              <span>
                <strong>{t('mode.title')}</strong>
                {t('mode.about', { host: new URL(relayerUrl).host })}
              </span>
            </p>
          )}
          <Preferences />
        </div>
      </header>
      <main id="content" className="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}
