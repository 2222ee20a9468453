import type { OutgoingCall } from './outgoing-calls.ts';
import { observeOutgoingCalls } from './outgoing-calls.ts';
import { currentSpan, runInSpan } from './request-scope.ts';
import type { RunningSpan, SpanOptions } from './spans.ts';

/** Records what a process does as spans of traces, which continue across processes. */
export interface Tracing {
  /** Runs `work` in a span that ends with it. */
  span<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T>;
  /** Runs `work`, and all that it starts, in a span. Returns the function that ends it; undefined without tracing. */
  enter(name: string, options: SpanOptions, work: () => void): RunningSpan['end'] | undefined;
  /** `traceparent` of the span that the running code is part of */
  current(): string | undefined;
  close(): Promise<void>;
}

/** Without an endpoint: runs everything as it is. */
export const noTracing: Tracing = {
  span: (_name, _options, work) => work(),
  enter(_name, _options, work) {
    work();
    return undefined;
  },
  current: () => undefined,
  close: async () => undefined,
};

export interface TracingOptions {
  /** `service.name` of its spans */
  service: string;
  version: string;
  /** Base URL of a collector (OTLP over HTTP); undefined: no tracing */
  endpoint: string | undefined;
  /** Names calls to other services, which become spans and carry on the trace */
  nameOf(origin: string, method: string, path: string): OutgoingCall | undefined;
}

/** Starts tracing where an endpoint is set. OpenTelemetry is loaded only then. */
export async function startTracing({ endpoint, nameOf, ...options }: TracingOptions): Promise<Tracing> {
  if (endpoint === undefined) return noTracing;
  const { createOpenTelemetry } = await import('./open-telemetry.ts');
  const source = createOpenTelemetry({ ...options, endpoint });
  const stopObserving = observeOutgoingCalls({
    // Calls of background work, such as health checks, are in no trace
    nameOf: (origin, method, path) =>
      currentSpan() === undefined ? undefined : nameOf(origin, method, path),
    begin({ dependency, operation }, addHeader) {
      const span = source.begin(`${dependency} ${operation}`, { kind: 'client' });
      addHeader('traceparent', span.traceparent);
      return (outcome) => span.end({ failed: outcome === 'error', attributes: { outcome } });
    },
  });
  return {
    async span(name, spanOptions, work) {
      const span = source.begin(name, spanOptions);
      let failed = true;
      try {
        const result = await runInSpan(span.traceparent, work);
        failed = false;
        return result;
      } finally {
        span.end({ failed });
      }
    },
    enter(name, spanOptions, work) {
      const span = source.begin(name, spanOptions);
      runInSpan(span.traceparent, work);
      return span.end;
    },
    current: currentSpan,
    close() {
      stopObserving();
      return source.close();
    },
  };
}
