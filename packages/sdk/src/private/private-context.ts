import type { EnvelopeContext } from '@memrelay/envelope/meta';
import { contextBody } from '../context-body.ts';
import type { ContextOptions } from '../wire/types.ts';

/** The context fields as they are sealed; those that are absent or empty are left out, and each tag is kept once. */
export function sealedContextOf(options: ContextOptions): EnvelopeContext {
  const tags = options.tags?.length ? [...new Set(options.tags)] : undefined;
  const fields = contextBody({ ...options, tags });
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}
