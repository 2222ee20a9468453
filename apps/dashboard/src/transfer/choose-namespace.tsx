import { useNamespaces } from '../memories/memory-queries.ts';
import { ChoiceField } from '../parts/choice-field.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { harmless } from '../ui/harmless-text.ts';

interface ChooseNamespaceProps {
  label: string;
  /** Undefined: all of them */
  value: string | undefined;
  onChange: (namespace: string | undefined) => void;
  /** Whether all of them can be chosen at once */
  hasAll?: boolean;
}

/** `all` cannot be confused with a namespace: those have a prefix in the list. */
const all = 'all';

/** One of the namespaces of the account. */
export function ChooseNamespace({ label, value, onChange, hasAll = false }: ChooseNamespaceProps) {
  const { t, number } = useTexts();
  const names = useNamespaces().data ?? [];
  const known = names.some(({ namespace }) => namespace === value);
  return (
    <div className="form-choice">
      <span className="choice-label" aria-hidden="true">
        {label}
      </span>
      <ChoiceField
        label={label}
        value={value === undefined ? all : `=${value}`}
        choices={[
          ...(hasAll ? [{ value: all, text: t('memories.namespace.all') }] : []),
          ...(value === undefined || known ? [] : [{ value: `=${value}`, text: harmless(value, 60) }]),
          ...names.map(({ namespace, memoryCount }) => ({
            value: `=${namespace}`,
            text: harmless(namespace, 60),
            note: number(memoryCount),
          })),
        ]}
        onChange={(choice) => onChange(choice === all ? undefined : choice.slice(1))}
      />
    </div>
  );
}
