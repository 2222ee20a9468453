import { namespaceField, newNamespaceField, textField } from '@memrelay/protocol/fields';
import { limits } from '@memrelay/protocol/limits';
import { z } from 'zod';

/** An integer in a range, with its default in the schema so that the agent sees it. */
export function limitField(range: { default: number; max: number }, description: string) {
  return z.number().int().min(1).max(range.max).default(range.default).describe(description);
}

/** Text with its route's size limit. `minLength` is a hint for the agent: JSON Schema cannot express the rule itself. */
export function textParameter(maxBytes: number, description: string) {
  return textField(maxBytes).meta({ description, minLength: 1 });
}

const namespaceShape = { minLength: 1, maxLength: limits.namespaceCharacters };

export function namespaceParameter(description: string) {
  return namespaceField.meta({ description, ...namespaceShape });
}

const namespaceDescription = 'Namespace; omit it to use the default';

/** For tools that read or forget. */
export const optionalNamespace = namespaceParameter(namespaceDescription).optional();

/** For tools that write. */
export const optionalNewNamespace = newNamespaceField
  .meta({ description: namespaceDescription, ...namespaceShape })
  .optional();
