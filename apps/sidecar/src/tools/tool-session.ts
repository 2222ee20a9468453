import type { ServerResponse } from 'node:http';
import type { Scope } from '@memrelay/chain/account-bcs';
import { rpcCodes } from '@memrelay/protocol/tool-server';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { isJSONRPCNotification, isJSONRPCRequest, type Transport } from '@modelcontextprotocol/server';
import { CallClient } from './call-client.ts';
import type { ToolCredential } from './credential.ts';
import { whenClosed } from './when-closed.ts';

export interface ToolSessionOptions {
  id: string;
  transport: 'streamable' | 'sse';
  credential: ToolCredential;
  /** Address block of the client that opened it */
  address: string;
  makeClient: (delegateKey: string) => MemRelay;
  /** Milliseconds of a clock that never goes back */
  now: () => number;
}

/**
 * A session of the 2025 revisions. It is bound to the credential it was opened with, but does not store it. It is active
 * while a request is answered, a stream is open or a call runs.
 */
export class ToolSession {
  readonly id: string;
  readonly transport: ToolSessionOptions['transport'];
  readonly binding: string;
  readonly accountId: string;
  readonly publicKey: string;
  readonly scope: Scope;
  readonly address: string;
  readonly client: CallClient;
  /** Ends the session and its streams; set by `openSession` */
  close: () => void = () => undefined;
  readonly #now: () => number;
  readonly #calls = new Map<string | number, () => void>();
  #send: Transport['send'] = async () => undefined;
  #openAnswers = 0;
  #activeAtMs: number;

  constructor(options: ToolSessionOptions) {
    this.id = options.id;
    this.transport = options.transport;
    this.binding = options.credential.binding;
    this.accountId = options.credential.accountId;
    this.publicKey = options.credential.publicKey;
    this.scope = options.credential.scope;
    this.address = options.address;
    this.client = new CallClient(options.makeClient);
    this.#now = options.now;
    this.#activeAtMs = this.#now();
  }

  /** How long the session has been idle, ms; undefined while it is active */
  get idleMs(): number | undefined {
    return this.#openAnswers > 0 || this.#calls.size > 0 ? undefined : this.#now() - this.#activeAtMs;
  }

  /** Counts a response as open until its connection closes. With a credential, calls can be signed until then. */
  answers(response: ServerResponse, credential?: ToolCredential): void {
    const release = credential && this.client.hold(credential.delegateKey);
    this.#openAnswers += 1;
    whenClosed(response, () => {
      this.#openAnswers -= 1;
      this.#activeAtMs = this.#now();
      release?.();
    });
  }

  /**
   * Tracks the calls of a connected transport, from the request to its response or to the client's cancellation. A cancelled
   * call gets no response; its stream ends.
   */
  follow(transport: Transport & { closeSSEStream?: (requestId: string | number) => void }): void {
    const deliver = transport.onmessage!.bind(transport);
    const send = transport.send.bind(transport);
    this.#send = send;
    transport.onmessage = (message, extra) => {
      if (isJSONRPCRequest(message)) this.#callBegins(message.id);
      deliver(message, extra);
      if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
        const requestId = message.params?.requestId as string | number;
        if (!this.#calls.has(requestId)) return;
        this.#callEnds(requestId);
        transport.closeSSEStream?.(requestId);
      }
    };
    transport.send = async (message, options) => {
      try {
        await send(message, options);
      } finally {
        if (!('method' in message) && message.id !== undefined) this.#callEnds(message.id);
      }
    };
  }

  /** Rejects the calls that still run, because their client would otherwise wait forever. */
  async refuseCalls(): Promise<void> {
    const message =
      'The session ended before the answer. Memories that a tool had already accepted remain stored.';
    const error = { code: rpcCodes.unauthenticated, message };
    const ids = [...this.#calls.keys()];
    await Promise.allSettled(ids.map((id) => this.#send({ jsonrpc: '2.0', id, error })));
  }

  /** Call when the session has ended: calls that still run fail from now on. */
  ended(): void {
    this.#calls.clear();
    this.client.wipe();
  }

  #callBegins(requestId: string | number): void {
    if (!this.#calls.has(requestId)) this.#calls.set(requestId, this.client.extend());
  }

  #callEnds(requestId: string | number): void {
    this.#calls.get(requestId)?.();
    this.#calls.delete(requestId);
    this.#activeAtMs = this.#now();
  }
}
