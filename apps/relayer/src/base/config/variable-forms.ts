import {
  encHistoricalSetsForm,
  encServerConfigsForm,
  parseEncHistoricalSets,
  parseEncKeyServers,
  parseEncServerConfigs,
} from '@memrelay/protocol/enc-servers';
import type { VariableForm } from '@memrelay/protocol/variables/declaration';
import { z } from 'zod';
import {
  flag,
  headerSecret,
  hexKeys,
  hostNames,
  integer,
  isOrigin,
  limitOrOff,
  list,
  listenHost,
  logFilter,
  objectId,
  privateKey,
  privateKeys,
  publicUrl,
  text,
  url,
} from './forms.ts';

/** The form of one kind, with its parameters. */
type FormOf<Kind extends VariableForm['kind']> = Extract<VariableForm, { kind: Kind }>;

/** Text that one of our parsers understands. */
const parsedText = (parse: (value: string) => unknown, message: string) =>
  text.refine((value) => parse(value) !== undefined, { message });

/** The parser of each kind of variable. */
const parsers = {
  'check-values': () =>
    list.pipe(
      z.array(
        z.string().regex(/^[0-9a-f]{32}$/, 'must be check values of 32 hex digits, separated by commas'),
      ),
    ),
  choice: ({ values }: FormOf<'choice'>) => z.enum(values),
  'database-url': () =>
    text.regex(/^(postgres(ql)?:\/\/|pglite:.)/, 'must be postgres://… or pglite:<directory>'),
  flag: () => flag,
  'hex-key': () => hexKeys.refine((keys) => keys.length === 1, { message: 'must be one key' }),
  'hex-keys': () => hexKeys,
  'host-names': () => hostNames,
  integer: ({ min, max }: FormOf<'integer'>) => integer(min, max),
  'integer-or-off': ({ min, max }: FormOf<'integer-or-off'>) =>
    z.union([z.literal('off'), integer(min, max)]),
  'key-server-sets': () => parsedText(parseEncHistoricalSets, encHistoricalSetsForm),
  'key-servers': () => parsedText(parseEncServerConfigs, encServerConfigsForm),
  limit: ({ min }: FormOf<'limit'>) => limitOrOff(min),
  'listen-host': () => listenHost,
  'log-filter': () => logFilter,
  'object-id': () => objectId,
  'object-ids': () => parsedText(parseEncKeyServers, 'must be object ids separated by commas'),
  origin: () => publicUrl.refine(isOrigin, { message: 'must be an origin, without a path' }),
  // As a browser writes it in `Origin`: without a path or a final slash
  origins: () => list.pipe(z.array(url.transform((value) => new URL(value).origin))),
  'private-key': () => privateKey,
  'private-keys': () => privateKeys,
  'public-url': () => publicUrl,
  'redis-url': () => text.regex(/^rediss?:\/\//, 'must be redis://… or rediss://…'),
  secret: ({ minLength }: FormOf<'secret'>) => headerSecret(minLength),
  switch: () =>
    z.enum(['on', 'off', 'true', 'false']).transform((value) => value === 'on' || value === 'true'),
  text: ({ maxLength }: FormOf<'text'>) => (maxLength === undefined ? text : text.max(maxLength)),
  url: () => url,
  urls: () => list.pipe(z.array(url)),
} satisfies { [Kind in VariableForm['kind']]: (form: FormOf<Kind>) => z.ZodType };

/** What the parser of a form returns. */
export type ValueOf<Form extends VariableForm> = Form extends {
  kind: 'choice';
  values: readonly (infer Value)[];
}
  ? Value
  : z.infer<ReturnType<(typeof parsers)[Form['kind']]>>;

/** The parser of a form. */
export function parserOf(form: VariableForm): z.ZodType {
  return (parsers[form.kind] as (form: VariableForm) => z.ZodType)(form);
}
