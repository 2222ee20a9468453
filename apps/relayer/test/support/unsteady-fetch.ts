/** A `fetch` whose server can be made to fail, or to lag behind like a slow full node. */
export interface UnsteadyFetch {
  fetch: typeof fetch;
  /** `objects frozen`: reads of objects get the responses that the same requests got earlier */
  mode: 'steady' | 'refusing' | 'objects frozen';
  calls: number;
  /** Maximum number of concurrent calls */
  mostAtOnce: number;
}

export function createUnsteadyFetch(): UnsteadyFetch {
  const answers = new Map<string, { status: number; headers: Headers; body: ArrayBuffer }>();
  let underWay = 0;
  const state: UnsteadyFetch = {
    mode: 'steady',
    calls: 0,
    mostAtOnce: 0,
    async fetch(input, init) {
      state.calls += 1;
      if (state.mode === 'refusing') throw new TypeError('fetch failed');
      const name = `${String(input)} ${Buffer.from((init?.body ?? '') as Uint8Array).toString('base64')}`;
      const before = answers.get(name);
      if (state.mode === 'objects frozen' && before && String(input).endsWith('/BatchGetObjects'))
        return new Response(before.body.slice(0), before);
      underWay += 1;
      state.mostAtOnce = Math.max(state.mostAtOnce, underWay);
      const [response, body] = await exchange(input, init).finally(() => {
        underWay -= 1;
      });
      const answer = { status: response.status, headers: response.headers, body };
      answers.set(name, answer);
      return new Response(body.slice(0), answer);
    },
  };
  return state;
}

async function exchange(...request: Parameters<typeof fetch>): Promise<[Response, ArrayBuffer]> {
  const response = await fetch(...request);
  return [response, await response.arrayBuffer()];
}
