import { currentRequestId } from '@memrelay/process/request-scope';
import { secretHeaders } from '@memrelay/protocol/headers';
import {
  logParts,
  parseLogFilter,
  partTarget,
  requestTarget,
  serverTarget,
} from '@memrelay/protocol/log-filter';
import { type DestinationStream, type Logger, pino } from 'pino';
import { PinoPretty } from 'pino-pretty';

/** One logger per subsystem; `http` is the request log. */
export type Loggers = Record<(typeof logParts)[number] | 'main' | 'http', Logger>;

const redactedPaths = secretHeaders.flatMap((name) => [
  `headers["${name}"]`,
  `req.headers["${name}"]`,
  `request.headers["${name}"]`,
]);

/** Added to every line logged while a request is served (decisions.md, "Wire, general"). */
function requestFields(): object {
  const requestId = currentRequestId();
  return requestId === undefined ? {} : { request_id: requestId };
}

/** `json` writes one object a line on stdout; anything else writes for people. */
export function createLoggers(options: { filter: string; format: 'json' | 'pretty' | 'text' }): Loggers {
  const stream =
    options.format === 'json'
      ? pino.destination({ fd: 1, sync: false })
      : PinoPretty({
          ignore: 'pid,hostname,target',
          messageFormat: '{target} {msg}',
          translateTime: 'SYS:HH:MM:ss.l',
          singleLine: true,
          sync: true,
        });
  return loggersOn(stream, options.filter);
}

/** Loggers that write JSON lines to `stream`, with secrets redacted. */
export function loggersOn(stream: DestinationStream, filterText: string): Loggers {
  const filter = parseLogFilter(filterText);
  const root = pino({ level: 'trace', base: {}, redact: redactedPaths, mixin: requestFields }, stream);
  const loggerOf = (target: string): Logger => root.child({ target }, { level: filter.levelOf(target) });
  return {
    main: loggerOf(serverTarget),
    http: loggerOf(requestTarget),
    ...Object.fromEntries(logParts.map((part) => [part, loggerOf(partTarget(part))])),
  } as Loggers;
}
