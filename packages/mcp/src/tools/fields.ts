import { namespaceField, newNamespaceField, textField } from '@memrelay/protocol/fields';
import { limits } from '@memrelay/protocol/limits';
import { z } from 'zod';

/** A whole number in a range, with the default in the schema for the agent to see. */
export function limitField(range: { default: number; max: number }, description: string) {
  return z.number().int().min(1).max(range.max).default(range.default).describe(description);
}

/** Text with the bound of its route. `minLength` is for the agent: the rule itself JSON Schema cannot say. */
export function textParameter(maxBytes: number, description: string) {
  return textField(maxBytes).meta({ description, minLength: 1 });
}

const namespaceShape = { minLength: 1, maxLength: limits.namespaceCharacters };

export function namespaceParameter(description: string) {
  return namespaceField.meta({ description, ...namespaceShape });
}

const whereItBelongs = 'Where it belongs; leave out for the default one';

/** Of tools that read or forget. */
export const optionalNamespace = namespaceParameter(whereItBelongs).optional();

/** Of tools that write. */
export const optionalNewNamespace = newNamespaceField
  .meta({ description: whereItBelongs, ...namespaceShape })
  .optional();
