import { PageLink } from '../parts/page-link.tsx';
import { useTexts } from '../parts/texts-context.tsx';

const tabs = [
  ['/memories', 'work.list'],
  ['/memories/ask', 'ask.title'],
  ['/memories/facts', 'facts.tab'],
  ['/memories/transfer', 'transfer.tab'],
] as const;

/** Links to everything that can be done with memories. */
export function MemoryTabs() {
  const { t } = useTexts();
  return (
    <nav className="tabs" aria-label={t('work.tabs')}>
      {tabs.map(([to, text]) => (
        <PageLink key={to} to={to} className="tab" isExact>
          {t(text)}
        </PageLink>
      ))}
    </nav>
  );
}
