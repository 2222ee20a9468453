/** The result of posting a message. `refused`: posting it again would not help. */
export type Posted =
  | { result: 'posted' }
  | { result: 'retry'; reason: string; afterMs: number | undefined }
  | { result: 'refused'; reason: string };

/**
 * Posts a text to an incoming webhook of a chat. Does not throw. Reasons never contain the URL, which is a secret.
 * Redirects are not followed, so that the text goes only to the configured address. The response body is not read.
 */
export async function postWebhook(url: string, text: string, deadlineMs: number): Promise<Posted> {
  let response: Response;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
      redirect: 'error',
      signal: AbortSignal.timeout(deadlineMs),
    });
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: string } };
    return { result: 'retry', reason: cause?.code ?? name, afterMs: undefined };
  }
  await response.body?.cancel().catch(() => undefined);
  const { status, ok } = response;
  if (ok) return { result: 'posted' };
  const reason = `status ${status}`;
  if (status === 429 || status === 408 || status >= 500)
    return { result: 'retry', reason, afterMs: retryAfterMs(response.headers.get('retry-after')) };
  return { result: 'refused', reason };
}

/** Parses a `Retry-After` header: seconds or a date (RFC 9110, 10.2.3). */
export function retryAfterMs(value: string | null): number | undefined {
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
