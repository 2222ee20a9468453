import type { z } from 'zod';

/**
 * Messages for schema issues that follow the name of a field (`items: must have at most 20`), for `safeParse(…, { error:
 * issueWords })`. A message set in the schema takes precedence. Never quotes the value.
 */
export const issueWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required';
      return `must be ${typeWords[issue.expected] ?? issue.expected}`;
    case 'too_big':
      return boundWords('most', issue.origin, issue.maximum, issue.inclusive ?? true);
    case 'too_small':
      return boundWords('least', issue.origin, issue.minimum, issue.inclusive ?? true);
    case 'invalid_format':
      return formatWords[issue.format] ?? 'has the wrong form';
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return 'has a field that is not known';
    case 'invalid_union':
      return 'has the wrong form';
    default:
      return undefined;
  }
};

const typeWords: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a finite number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const formatWords: Readonly<Record<string, string>> = {
  base64: 'must be standard base64',
  datetime: 'must be a date and time with its offset (RFC 3339)',
  uuid: 'must be a UUID',
};

function boundWords(
  end: 'most' | 'least',
  origin: string,
  bound: number | bigint,
  isInclusive: boolean,
): string {
  if (origin === 'string') {
    if (end === 'least' && bound === 1) return 'must not be empty';
    return `must have at ${end} ${bound} character${Number(bound) === 1 ? '' : 's'}`;
  }
  if (origin === 'array' || origin === 'set') return `must have at ${end} ${bound}`;
  if (isInclusive) return `must be at ${end} ${bound}`;
  return `must be ${end === 'most' ? 'less' : 'more'} than ${bound}`;
}
