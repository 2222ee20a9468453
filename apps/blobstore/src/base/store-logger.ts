import type { Logger } from 'pino';

type Log = (fields: object, message?: string) => void;

/**
 * A pino logger, or another logger with these methods. Declared here so that the types of this package depend on no
 * other package.
 */
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

/** Safe because the store and Fastify call only the methods of `StoreLogger`. */
export const asLogger = (logger: StoreLogger): Logger => logger as Logger;
