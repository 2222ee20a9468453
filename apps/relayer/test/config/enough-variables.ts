import type { Environment } from '../../src/base/config/read-config.ts';

export const id = (digit: string): string => `0x${digit.repeat(64)}`;
export const key = (digit: string): string => digit.repeat(64);

/** The least that a relayer with Postgres needs. */
export const enough: Environment = {
  DATABASE_URL: 'postgres://localhost/memrelay',
  MEM_PACKAGE_ID: id('a'),
  MEM_REGISTRY_ID: id('b'),
  SIDECAR_AUTH_TOKEN: 'a-token-of-16-up',
  MEM_SERVER_SECRET: key('1'),
  MEM_INDEX_KEY: key('2'),
  MEM_WRITER_KEYS: key('3'),
};
