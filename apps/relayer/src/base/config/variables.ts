import {
  type DeclaredVariables,
  declaredVariables,
  type VariableOf,
  variablesOf,
} from '@memrelay/protocol/variables';
import type { VariableDeclaration } from '@memrelay/protocol/variables/declaration';
import { z } from 'zod';
import { parserOf, type ValueOf } from './variable-forms.ts';

type Name = VariableOf<'relayer'>;

/** The parsed value of each variable that the relayer reads or checks for its sidecar. */
export type Variables = {
  [Each in Name]: DeclaredVariables[Each] extends { required: true } | { default: string }
    ? ValueOf<DeclaredVariables[Each]['form']>
    : ValueOf<DeclaredVariables[Each]['form']> | undefined;
};

/**
 * Parses the environment, by the table in packages/protocol/src/variables.ts. An empty value counts as unset, as container
 * platforms set them.
 */
export const variables = z.object(
  Object.fromEntries(variablesOf('relayer').map((name) => [name, parserFor(declaredVariables[name])])) as {
    [Each in Name]: z.ZodType<Variables[Each]>;
  },
);

/** A default is written as in an environment, so the same parser reads it. */
function parserFor({ form, required, default: value }: VariableDeclaration): z.ZodType {
  const parser = parserOf(form);
  if (required) return parser;
  if (value === undefined) return parser.optional();
  return value === '' ? parser.default([]) : parser.prefault(value);
}
