import { useId } from 'react';
import { useTexts } from '../parts/texts-context.tsx';
import type { NewMemory } from './save-memory.ts';

interface MemoryFieldsProps {
  memory: NewMemory;
  /** Offered while typing */
  namespaces: readonly string[];
  onChange: (part: Partial<NewMemory>) => void;
}

/** Namespace, tags and last day of memories that are about to be stored. */
export function MemoryFields({ memory, namespaces, onChange }: MemoryFieldsProps) {
  const { t } = useTexts();
  const id = useId();
  return (
    <>
      <div className="form-pair">
        <div>
          <label htmlFor={`${id}namespace`}>{t('add.namespace')}</label>
          <input
            id={`${id}namespace`}
            type="text"
            list={`${id}namespaces`}
            autoComplete="off"
            value={memory.namespace}
            onChange={({ target }) => onChange({ namespace: target.value })}
          />
          <datalist id={`${id}namespaces`}>
            {namespaces.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </div>
        <div>
          <label htmlFor={`${id}until`}>{t('add.until')}</label>
          <input
            id={`${id}until`}
            type="date"
            value={memory.until}
            aria-describedby={`${id}until-hint`}
            onChange={({ target }) => onChange({ until: target.value })}
          />
          <p id={`${id}until-hint`} className="hint">
            {t('add.until.hint')}
          </p>
        </div>
      </div>
      <label htmlFor={`${id}tags`}>{t('add.tags')}</label>
      <input
        id={`${id}tags`}
        type="text"
        autoComplete="off"
        value={memory.tags}
        aria-describedby={`${id}tags-hint`}
        onChange={({ target }) => onChange({ tags: target.value })}
      />
      <p id={`${id}tags-hint`} className="hint">
        {t('add.tags.hint')}
      </p>
    </>
  );
}
