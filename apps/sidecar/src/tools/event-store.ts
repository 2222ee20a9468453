import { randomUUID } from 'node:crypto';
import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';

/** How long the events of a broken stream are kept, so that the client can resume it; milliseconds. */
const keepMs = 5 * 60_000;
/** For all sessions together; the oldest events are evicted first. A limit on their number would allocate room for all at once. */
const maxBytes = 64 * 1024 * 1024;
/** Per session */
const maxSessionEvents = 500;

interface KeptEvent {
  sessionId: string;
  streamId: string;
  message: JSONRPCMessage;
}

/** The events sent on streams, for clients that resume with `Last-Event-ID`. In memory only, and bounded. */
export interface EventStores {
  /** The store of one session; it cannot see events of other sessions */
  forSession(sessionId: string): SessionEvents;
  /** Removes expired events */
  sweep(): void;
}

export interface SessionEvents extends EventStore {
  clear(): void;
}

export function createEventStores(options: { maxBytes?: number; keepMs?: number } = {}): EventStores {
  const kept = new LRUCache<string, KeptEvent>({
    maxSize: options.maxBytes ?? maxBytes,
    ttl: options.keepMs ?? keepMs,
  });
  return {
    forSession: (sessionId) => createSessionEvents(kept, sessionId),
    sweep: () => void kept.purgeStale(),
  };
}

function createSessionEvents(kept: LRUCache<string, KeptEvent>, sessionId: string): SessionEvents {
  /** Oldest first; some may already be evicted from `kept` */
  let ids: string[] = [];
  const find = (eventId: string): KeptEvent | undefined => {
    const event = kept.peek(eventId);
    return event?.sessionId === sessionId ? event : undefined;
  };
  return {
    async storeEvent(streamId, message) {
      const eventId = randomUUID();
      kept.set(eventId, { sessionId, streamId, message }, { size: 200 + JSON.stringify(message).length });
      ids.push(eventId);
      if (ids.length > maxSessionEvents) {
        for (const old of ids.slice(0, maxSessionEvents / 2)) kept.delete(old);
        ids = ids.slice(maxSessionEvents / 2);
      }
      return eventId;
    },
    async getStreamIdForEventId(eventId) {
      return find(eventId)?.streamId;
    },
    async replayEventsAfter(lastEventId, { send }) {
      const { streamId } = find(lastEventId)!;
      for (const eventId of ids.slice(ids.indexOf(lastEventId) + 1)) {
        const event = find(eventId);
        if (event?.streamId === streamId) await send(eventId, event.message);
      }
      return streamId;
    },
    clear() {
      for (const eventId of ids) kept.delete(eventId);
      ids = [];
    },
  };
}
