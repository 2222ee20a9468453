import type { NamespaceEntry } from '@memrelay/sdk/types';
import { useEffect, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { ChoiceField } from '../parts/choice-field.tsx';
import { Icon } from '../parts/icon.tsx';
import { setParameters } from '../parts/location.ts';
import { useTexts } from '../parts/texts-context.tsx';
import { harmless } from '../ui/harmless-text.ts';
import type { MemoryFilter } from './memory-queries.ts';

interface SearchBarProps {
  question: string;
  filter: MemoryFilter;
  namespaces: readonly NamespaceEntry[];
}

/** `all` cannot be confused with a namespace: those have a prefix in the list. */
const all = 'all';
const pauseMs = 350;

export function SearchBar({ question, filter, namespaces }: SearchBarProps) {
  const { t, number } = useTexts();
  const [typed, setTyped] = useDelayed(question, (value) => setParameters({ q: value.trim() }));
  const [tag, setTag] = useDelayed(filter.tag ?? '', (value) => setParameters({ tag: value.trim() }));
  const { namespace } = filter;
  const known = namespaces.some((each) => each.namespace === namespace);
  const choices = [
    { value: all, text: t('memories.namespace.all') },
    ...(namespace === undefined || known ? [] : [{ value: `=${namespace}`, text: harmless(namespace, 60) }]),
    ...namespaces.map((each) => ({
      value: `=${each.namespace}`,
      text: harmless(each.namespace, 60),
      note: number(each.memoryCount),
    })),
  ];
  return (
    <search className="search-bar">
      <div className="search-field">
        <Icon name="search" />
        <input
          type="search"
          aria-label={t('memories.search')}
          placeholder={t('memories.search.hint')}
          autoComplete="off"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') setParameters({ q: typed.trim() });
            if (event.key === 'Escape') setTyped('');
          }}
        />
        {typed === '' ? null : (
          <Button
            kind="plain"
            small
            icon="close"
            aria-label={t('memories.search.clear')}
            onPress={() => setTyped('')}
          />
        )}
      </div>
      <ChoiceField
        label={t('memories.namespace')}
        value={namespace === undefined ? all : `=${namespace}`}
        choices={choices}
        onChange={(value) =>
          setParameters(
            value === all ? { namespace: undefined, tag: undefined } : { namespace: value.slice(1) },
          )
        }
      />
      {namespace === undefined ? null : (
        <div className="search-field tag-field">
          <Icon name="tag" size={16} />
          <input
            type="text"
            aria-label={t('memories.tag.filter')}
            placeholder={t('memories.tag')}
            autoComplete="off"
            value={tag}
            onChange={({ target }) => setTag(target.value)}
          />
        </div>
      )}
    </search>
  );
}

/** A field whose value takes effect after a pause in typing. A change from outside replaces what was typed. */
function useDelayed(value: string, apply: (value: string) => void): [string, (value: string) => void] {
  const [typed, setTyped] = useState(value);
  const [seen, setSeen] = useState(value);
  if (seen !== value) {
    setSeen(value);
    if (typed.trim() !== value) setTyped(value);
  }
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = window.setTimeout(() => apply(typed), pauseMs);
    return () => window.clearTimeout(timer);
  });
  return [typed, setTyped];
}
