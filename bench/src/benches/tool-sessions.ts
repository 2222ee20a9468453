import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { toolPaths } from '@memrelay/protocol/tool-server';
import type { Bench, Measurement } from '../base/report.ts';
import { percentile, rounded, type Timing } from '../base/statistics.ts';
import { type MemorySample, type MemorySamples, startMemorySamples } from '../system/memory-samples.ts';
import { type BenchSystem, startBenchSystem } from '../system/memrelay-system.ts';
import { cpuSince, cpuSoFar } from '../system/processes.ts';

const sessions = 1_000;
const idleSeconds = 10;

/** One-time costs of the first sessions are not counted. */
const before = 50;

export const toolSessionsBench: Bench = {
  name: 'tool-sessions',
  about:
    'opening 1,000 sessions of the HTTP tool server, what they take of memory while idle, and with a stream each',
  async run(progress) {
    const memory = await startMemorySamples();
    const limits = {
      MCP_MAX_TOTAL_SESSIONS: '5000',
      MCP_MAX_SESSIONS_PER_IP: '5000',
      MCP_MAX_NEW_SESSIONS_PER_IP_PER_MIN: '100000',
    };
    progress('starting');
    const system = await startBenchSystem(undefined, { NODE_OPTIONS: memory.nodeOptions, ...limits });
    try {
      return { measurements: await measure(system, memory, progress), notes };
    } finally {
      await system.stop();
      await memory.close();
    }
  },
};

const notes = [
  'One host after the other initializes, through the relayer. `live` is the heap after garbage collection, `rss` the memory given by the operating system: both per session, in KiB, compared with the same system before.',
  'The memory is that of the sidecar; that of the relayer, which forwards the streams, is listed separately.',
];

async function measure(
  system: BenchSystem,
  memory: MemorySamples,
  progress: (step: string) => void,
): Promise<Measurement[]> {
  const host = createHost(system);
  const sample = async () => ({
    sidecar: await memory.sample('sidecar'),
    relayer: await memory.sample('relayer'),
  });
  const ids: string[] = [];
  for (let i = 0; i < before; i++) ids.push(await host.open());
  const start = await sample();

  progress(`opening ${sessions} sessions`);
  const cpuBefore = cpuSoFar();
  const times: number[] = [];
  for (let i = 0; i < sessions; i++) {
    const began = performance.now();
    ids.push(await host.open());
    times.push(performance.now() - began);
  }
  const opening = { timing: timingOf(times), cpuMs: cpuSince(cpuBefore, sessions) };
  const idle = await sample();

  progress('a stream for each');
  const streamTimes: number[] = [];
  const streams: IncomingMessage[] = [];
  for (const id of ids.slice(before)) {
    const began = performance.now();
    streams.push(await host.stream(id));
    streamTimes.push(performance.now() - began);
  }
  const streaming = await sample();
  const cpuIdle = cpuSoFar();
  await wait(idleSeconds * 1000);
  const { sidecar, relayer } = cpuSince(cpuIdle, idleSeconds);

  progress('closing all');
  for (const stream of streams) stream.destroy();
  for (const id of ids.slice(before)) await host.close(id);
  const after = await sample();
  host.end();
  return [
    {
      what: 'open a session',
      ...opening,
      more: {
        ...each('sidecar', start.sidecar, idle.sidecar),
        ...each('relayer', start.relayer, idle.relayer),
      },
    },
    {
      what: 'open its stream',
      timing: timingOf(streamTimes),
      more: {
        ...each('sidecar', start.sidecar, streaming.sidecar),
        ...each('relayer', start.relayer, streaming.relayer),
        'processor ms a second, idle': `sidecar ${sidecar ?? 0}, relayer ${relayer ?? 0}`,
        'live MiB left after closing': rounded(after.sidecar.live - start.sidecar.live),
      },
    },
  ];
}

/** KiB per session. */
function each(part: string, from: MemorySample, to: MemorySample): Record<string, number> {
  const kibibytes = (kind: keyof MemorySample) => Math.round(((to[kind] - from[kind]) * 1024) / sessions);
  return { [`${part} live`]: kibibytes('live'), [`${part} rss`]: kibibytes('rss') };
}

/** A minimal host without a client library, whose cost would be measured too. */
function createHost({ credentials }: BenchSystem) {
  const agent = new Agent({ keepAlive: true, maxSockets: 10_000 });
  const url = new URL(toolPaths.mcp, credentials.relayerUrl);
  const named = {
    authorization: `Bearer ${credentials.delegatePrivateKey}`,
    'x-mem-account-id': credentials.accountId,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  async function ask(method: string, id?: string, message?: object): Promise<IncomingMessage> {
    const headers = { ...named, ...(id === undefined ? {} : { 'mcp-session-id': id }) };
    const asked = httpRequest(url, { method, headers, agent });
    asked.end(message && JSON.stringify({ jsonrpc: '2.0', ...message }));
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    if (answer.statusCode! >= 300) throw new Error(`${method} was answered with ${answer.statusCode}`);
    return answer;
  }
  async function readToEnd(response: Promise<IncomingMessage>): Promise<IncomingMessage> {
    const answer = await response;
    await once(answer.resume(), 'end');
    return answer;
  }
  return {
    async open(): Promise<string> {
      const clientInfo = { name: 'bench', version: '1.0.0' };
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
      const answer = await readToEnd(ask('POST', undefined, { id: 0, method: 'initialize', params }));
      const id = answer.headers['mcp-session-id'] as string;
      await readToEnd(ask('POST', id, { method: 'notifications/initialized' }));
      return id;
    },
    stream: (id: string) => ask('GET', id),
    close: (id: string) => readToEnd(ask('DELETE', id)),
    end: () => agent.destroy(),
  };
}

function timingOf(times: readonly number[]): Timing {
  const total = times.reduce((sum, ms) => sum + ms, 0);
  return {
    count: times.length,
    p50: rounded(percentile(times, 0.5)),
    p95: rounded(percentile(times, 0.95)),
    perSecond: rounded((times.length * 1000) / total),
  };
}
