import { MemoryTabs } from '../memories/memory-tabs.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { ExportPanel } from './export-panel.tsx';
import { ImportPanel } from './import-panel.tsx';
import { RestorePanel } from './restore-panel.tsx';

/** Saves memories as a file, stores those of a file, and restores them from the chain. */
export function TransferPage() {
  const { t } = useTexts();
  return (
    <>
      <PageHead title={t('transfer.title')} about={t('transfer.about')} />
      <MemoryTabs />
      <div className="columns transfer">
        <ExportPanel />
        <ImportPanel />
        <RestorePanel />
      </div>
    </>
  );
}
