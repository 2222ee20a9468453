import type { VariableForm } from '@memrelay/protocol/variables/declaration';

const id = (digit: string): string => `0x${digit.repeat(64)}`;
const key = (digit: string): string => digit.repeat(64);
const server = (digit: string): string => `{"objectId":"${id(digit)}","weight":1}`;

/** Values of a form: those that the relayer accepts, none of them a default, and those that it rejects. */
export interface Samples {
  accepted: readonly string[];
  rejected: readonly string[];
}

/** Samples at and beyond the borders of a form. */
export function samplesOf(form: VariableForm): Samples {
  switch (form.kind) {
    case 'integer':
      return { accepted: between(form), rejected: outside(form) };
    case 'integer-or-off':
      return { accepted: [...between(form), 'off'], rejected: [...outside(form), 'OFF', 'none'] };
    case 'limit':
      return {
        accepted: [String(form.min), '123456789', 'off'],
        rejected: [String(form.min - 1), '-1', '1.5', '1e3', 'OFF', 'none'],
      };
    case 'choice':
      return { accepted: form.values, rejected: ['another', form.values[0]!.toUpperCase()] };
    case 'text':
      return {
        accepted: ['some text'],
        rejected: form.maxLength === undefined ? [] : ['a'.repeat(form.maxLength + 1)],
      };
    case 'secret':
      return {
        accepted: ['a'.repeat(Math.max(20, form.minLength))],
        rejected: ['two words of secret text', 'größer-als-16-buchstaben', ...tooShort(form.minLength)],
      };
    default:
      return plain[form.kind];
  }
}

const between = ({ min, max }: { min: number; max: number }): string[] =>
  [min, min + 2, max].map((value) => String(value));

const outside = ({ min, max }: { min: number; max: number }): string[] => [
  String(min - 1),
  String(max + 1),
  `${min}.5`,
  '1e1',
  '0x10',
  'many',
];

const tooShort = (minLength: number): string[] => (minLength > 1 ? ['a'.repeat(minLength - 1)] : []);

type PlainKind = Exclude<
  VariableForm['kind'],
  'integer' | 'integer-or-off' | 'limit' | 'choice' | 'text' | 'secret'
>;

const plain: Readonly<Record<PlainKind, Samples>> = {
  'check-values': { accepted: ['0'.repeat(32)], rejected: ['all', key('1'), 'abc,def'] },
  'database-url': {
    accepted: ['postgresql://db.example/other', 'pglite:/var/lib/other'],
    rejected: ['mysql://x', 'pglite:', 'localhost'],
  },
  flag: { accepted: ['true', '1', 'TRUE'], rejected: ['yes', '2', 'on'] },
  'hex-key': { accepted: [key('7')], rejected: [key('7').slice(1), `${key('7')},${key('8')}`, 'password'] },
  'hex-keys': {
    accepted: [key('7'), `${key('7')},${key('8')}`],
    rejected: [key('7').slice(1), `${key('7')},`, 'password'],
  },
  'host-names': {
    accepted: ['a.example', 'a.example:8443,[::1]'],
    rejected: ['*', 'https://a.example', 'a.example/x', 'a.example:x', ','],
  },
  'key-server-sets': {
    accepted: [`[{"servers":[${server('5')}],"threshold":1}]`],
    rejected: ['{}', '[{"servers":[],"threshold":1}]', `[{"servers":[${server('5')}],"threshold":2}]`],
  },
  'key-servers': {
    accepted: [`[${server('5')}]`],
    rejected: ['{}', '[]', '[{"objectId":"x"}]', `[{"objectId":"${id('5')}","weight":0}]`],
  },
  'listen-host': {
    accepted: ['0.0.0.0', '::', 'relayer-1.internal'],
    rejected: ['0.0.0.0:8000', 'http://0.0.0.0', '256.1.1.1', '1.2.3', '[::1', '*', '-a'],
  },
  'log-filter': { accepted: ['memrelay_server=debug'], rejected: ['garbage', 'memrelay_server=loud', ','] },
  'object-id': { accepted: [id('e'), id('E')], rejected: ['0x1', key('a'), `${id('a')}0`] },
  'object-ids': { accepted: [id('5'), `${id('5')},${id('6')}`], rejected: ['0x1,two'] },
  origin: {
    accepted: ['https://a.example'],
    rejected: ['http://a.example', 'https://a.example/path', 'https://u@a.example', 'a.example'],
  },
  origins: {
    accepted: ['https://a.example', 'https://a.example,http://b.example'],
    rejected: ['*', 'localhost:5173', 'http://a.example,x'],
  },
  'private-key': {
    accepted: [key('4')],
    rejected: ['0x12', `${key('1')},${key('2')}`, 'suiprivkey1qqqq', id('1')],
  },
  'private-keys': { accepted: [key('4'), `${key('4')},${key('5')}`], rejected: [`${key('1')},nokey`] },
  'public-url': {
    accepted: ['https://a.example/page'],
    rejected: ['http://a.example', 'https://a.example/?x', 'https://a.example/#x'],
  },
  'redis-url': {
    accepted: ['redis://a.example:6379', 'rediss://a.example'],
    rejected: ['http://localhost:6379', 'localhost:6379'],
  },
  switch: { accepted: ['on', 'off', 'true', 'false'], rejected: ['0', 'maybe'] },
  url: { accepted: ['https://a.example/v1', 'http://127.0.0.1:1234'], rejected: ['a.example', 'ftp://x'] },
  urls: {
    accepted: ['http://a.example', 'http://a.example,http://b.example'],
    rejected: ['http://a.example,nonsense'],
  },
};
