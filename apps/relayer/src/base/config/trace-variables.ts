const endpoint = 'OTEL_EXPORTER_OTLP_ENDPOINT';

/** One warning for each variable of OpenTelemetry that is set while there is no collector to send traces to. */
export function traceWarnings(present: Readonly<Record<string, string | undefined>>): string[] {
  if (present[endpoint] !== undefined) return [];
  return Object.keys(present)
    .filter((name) => name.startsWith('OTEL_'))
    .sort()
    .map((name) => `${name} has no effect without ${endpoint}`);
}
