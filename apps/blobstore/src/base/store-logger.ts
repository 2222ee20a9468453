import type { Logger } from 'pino';

type Log = (fields: object, message?: string) => void;

/** A pino logger, or another one with these methods: the types of this package need no other package. */
export interface StoreLogger {
  level: string;
  fatal: Log;
  error: Log;
  warn: Log;
  info: Log;
  debug: Log;
  trace: Log;
  silent: Log;
  child(bindings: Record<string, unknown>): StoreLogger;
}

/** What the store and Fastify call of it is what `StoreLogger` has. */
export const asLogger = (logger: StoreLogger): Logger => logger as Logger;
