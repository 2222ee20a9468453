import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { currentSpan } from './request-scope.ts';
import type { SpanOptions, SpanSource } from './spans.ts';

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER } as const;

/**
 * Spans that are sent to a collector in batches, as OTLP over HTTP. A collector that does not answer slows nothing down: its
 * spans are dropped. Other variables of OpenTelemetry, such as OTEL_EXPORTER_OTLP_HEADERS, apply.
 */
export function createOpenTelemetry(options: {
  service: string;
  version: string;
  endpoint: string;
}): SpanSource {
  const { service, version, endpoint } = options;
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.version': version }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer('memrelay', version);
  return {
    begin(name, { kind, parent = currentSpan(), links = [], attributes = {} }: SpanOptions) {
      const span = tracer.startSpan(
        name,
        {
          kind: kind === undefined ? SpanKind.INTERNAL : kinds[kind],
          attributes: attributes as Attributes,
          links: links.flatMap((link) => {
            const context = parseTraceparent(link);
            return context ? [{ context }] : [];
          }),
        },
        contextOf(parent),
      );
      return {
        traceparent: traceparentOf(span.spanContext()),
        end({ failed, attributes: more }) {
          if (more) span.setAttributes(more);
          if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    // Not longer than the process has for its end
    close: () => provider.shutdown().catch(() => undefined),
  };
}

function contextOf(traceparent: string | undefined): Context {
  const parent = traceparent === undefined ? undefined : parseTraceparent(traceparent);
  return parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
}

/** W3C Trace Context, version 00; undefined for anything else, such as what a client made up. */
function parseTraceparent(text: string): SpanContext | undefined {
  const [, traceId, spanId, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text) ?? [];
  if (!traceId || !spanId || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags!, 16) & 1, isRemote: true };
}

function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
