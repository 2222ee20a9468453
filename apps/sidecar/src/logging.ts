import { currentRequestId } from '@memrelay/process/request-scope';
import { parseLogFilter, partTarget } from '@memrelay/protocol/log-filter';
import { type Logger, pino } from 'pino';
import { PinoPretty } from 'pino-pretty';

/**
 * The sidecar's logger. RUST_LOG and LOG_FORMAT work as in the relayer. It writes to stderr, because stdout is for
 * the ready line.
 */
export function createLogger({
  filter,
  format,
}: {
  filter: string;
  format: 'json' | 'pretty' | 'text';
}): Logger {
  const target = partTarget('sidecar');
  const stream =
    format === 'json'
      ? pino.destination(2)
      : PinoPretty({
          ignore: 'pid,hostname,target',
          messageFormat: '{target} {msg}',
          translateTime: 'SYS:HH:MM:ss.l',
          singleLine: true,
          sync: true,
          destination: 2,
        });
  return pino(
    { level: parseLogFilter(filter).levelOf(target), base: { target }, mixin: requestFields },
    stream,
  );
}

/** The id that the relayer sent with the request that is being served: the same in the log lines of both. */
export function requestFields(): object {
  const requestId = currentRequestId();
  return requestId === undefined ? {} : { request_id: requestId };
}
