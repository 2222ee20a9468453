import { randomUUID } from 'node:crypto';
import { type FaultProxy, startFaultProxy } from '@memrelay/dev-env/fault-proxy';
import { type FaultyWorld, startFaultyWorld } from '@memrelay/dev-env/faulty-world';
import { createTestOwner, type TestOwner } from '@memrelay/dev-env/test-owner';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import type { MemRelayOptions } from '@memrelay/sdk/types';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { ToolServerOptions } from '../../src/tools/tool-server-options.ts';
import { openSession, type Session } from './open-session.ts';

/** A complete relayer, an owner, and the sessions that a test opens, which are closed after the test. */
export interface ToolsWorld {
  readonly faulty: FaultyWorld;
  /** A proxy between the tools and the relayer, for sessions that use its URL */
  readonly line: FaultProxy;
  readonly owner: TestOwner;
  /** A separate one for each test */
  readonly namespace: string;
  memoryOf(options?: Partial<MemRelayOptions>, url?: string): MemRelay;
  /** Opens a session with all tools and the test's namespace */
  sessionOf(memory?: MemRelay, options?: Partial<ToolServerOptions>): Promise<Session>;
}

/** Starts one system for the calling test file, and resets its faults before each test. */
export function useToolsWorld(): ToolsWorld {
  let faulty: FaultyWorld;
  let line: FaultProxy;
  let owner: TestOwner;
  let namespace: string;
  const open: { close: () => unknown }[] = [];
  beforeAll(async () => {
    faulty = await startFaultyWorld();
    [line, owner] = await Promise.all([startFaultProxy(faulty.relayer.url), createTestOwner(faulty.network)]);
  });
  afterAll(async () => {
    await line?.close();
    await faulty?.close();
  });
  beforeEach(() => {
    namespace = randomUUID();
    faulty.heal();
    line.fault = undefined;
  });
  afterEach(() => Promise.all(open.splice(0).map((each) => each.close())));

  function memoryOf(options: Partial<MemRelayOptions> = {}, url = faulty.relayer.url): MemRelay {
    const memory = owner.client(url, options);
    open.push({ close: () => memory.destroy() });
    return memory;
  }
  return {
    get faulty() {
      return faulty;
    },
    get line() {
      return line;
    },
    get owner() {
      return owner;
    },
    get namespace() {
      return namespace;
    },
    memoryOf,
    async sessionOf(memory = memoryOf(), options = {}) {
      const session = await openSession({ client: () => memory, namespace, extraTools: true, ...options });
      open.unshift(session);
      return session;
    },
  };
}
