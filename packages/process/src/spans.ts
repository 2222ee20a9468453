export interface SpanOptions {
  kind?: 'server' | 'client' | 'consumer';
  /** `traceparent` (W3C) of the parent. Default: the current span, else a new trace begins */
  parent?: string | undefined;
  /** Other spans that led to this one, as `traceparent` */
  links?: readonly string[];
  /** Ids, counts and names: no text, no secret, no account */
  attributes?: Readonly<Record<string, string | number>>;
}

/** A span that has begun. */
export interface RunningSpan {
  traceparent: string;
  end(result: { failed: boolean; attributes?: Readonly<Record<string, string | number>> }): void;
}

/** Where spans come from and go to: OpenTelemetry, or nothing. */
export interface SpanSource {
  begin(name: string, options: SpanOptions): RunningSpan;
  /** Sends what is left */
  close(): Promise<void>;
}
