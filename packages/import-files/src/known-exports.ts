import { dateOf, isObject, type JsonObject, scalar, textOf } from './chat-message.ts';
import { exportedContext, type FileContext } from './file-context.ts';

/** One memory of an export. */
export interface ExportedEntry {
  id?: string | undefined;
  /** When it was said or stored, as `2026-03-02 14:05` or as written in the file */
  date?: string | undefined;
  /** Who said it, in front of the text */
  speaker?: string | undefined;
  /** Who said it, where the text stays as it is */
  saidBy?: string | undefined;
  /** Of a message: user, assistant, system or tool */
  role?: string | undefined;
  namespace?: string | undefined;
  /** The conversation that it is part of */
  session?: string | undefined;
  /** The fields of a memory of ours, which the other properties do not have */
  context?: FileContext | undefined;
  text: string;
}

export interface KnownExport {
  /** For a person */
  name: string;
  entries: ExportedEntry[];
  /** Roles that are imported by default; undefined: all */
  usualRoles?: readonly string[];
}

/**
 * Reads an export in a known format: ChatGPT, Claude, mem0, Zep, Letta, Supermemory, or our own. Undefined for any
 * other JSON, which is read as chat messages.
 */
export function knownExport(value: unknown): KnownExport | undefined {
  for (const read of [chatGpt, claude, letta, own, supermemory, mem0, zep]) {
    const found = read(value);
    if (found && found.entries.length > 0) return found;
  }
  return undefined;
}

/** `conversations.json`: trees of messages; the branch that was shown last counts. */
function chatGpt(value: unknown): KnownExport | undefined {
  const conversations = objects(value).filter(({ mapping }) => isObject(mapping));
  if (conversations.length === 0) return undefined;
  const entries = conversations.flatMap((conversation) => {
    const nodes = conversation.mapping as Record<string, unknown>;
    const branch: JsonObject[] = [];
    let id: unknown = conversation.current_node ?? lastLeaf(nodes);
    for (let left = Object.keys(nodes).length; left > 0 && typeof id === 'string'; left--) {
      const node = nodes[id];
      if (!isObject(node)) break;
      if (isObject(node.message)) branch.unshift(node.message);
      id = node.parent;
    }
    const session = sessionOf(conversation);
    return branch.flatMap((message) =>
      chatGptEntry(message, conversation).map((entry) => ({ ...entry, session })),
    );
  });
  return { name: 'ChatGPT export', entries, usualRoles: ['user'] };
}

function chatGptEntry(message: JsonObject, conversation: JsonObject): ExportedEntry[] {
  const { author, content, metadata } = message;
  const role = isObject(author) ? scalar(author.role) : undefined;
  const text = textOf(content);
  const isHidden = isObject(metadata) && metadata.is_visually_hidden_from_conversation === true;
  if (!role || !text || isHidden) return [];
  return [
    { id: scalar(message.id), date: dateOf(message) ?? dateOf(conversation), speaker: role, role, text },
  ];
}

/** If there is no current node: the newest message without a reply. */
function lastLeaf(nodes: Record<string, unknown>): string | undefined {
  const leaves = Object.entries(nodes).filter(
    ([, node]) => isObject(node) && !(Array.isArray(node.children) && node.children.length > 0),
  );
  return leaves.at(-1)?.[0];
}

/** `conversations.json` of Claude: the sender is `human` or `assistant`. */
function claude(value: unknown): KnownExport | undefined {
  const conversations = objects(value).filter(({ chat_messages }) => Array.isArray(chat_messages));
  if (conversations.length === 0) return undefined;
  const entries = conversations.flatMap((conversation) =>
    objects(conversation.chat_messages).flatMap((message): ExportedEntry[] => {
      const text = textOf(message.content) ?? textOf(message.text);
      if (!text) return [];
      const role = message.sender === 'human' ? 'user' : scalar(message.sender);
      const date = minuteOf(message.created_at) ?? minuteOf(conversation.created_at);
      return [
        { id: scalar(message.uuid), date, speaker: role, role, session: sessionOf(conversation), text },
      ];
    }),
  );
  return { name: 'Claude export', entries, usualRoles: ['user'] };
}

/** An agent file (`.af`): blocks of core memory, archival passages and messages. */
function letta(value: unknown): KnownExport | undefined {
  if (!isObject(value) || !(Array.isArray(value.agents) || Array.isArray(value.core_memory)))
    return undefined;
  const parts = [value, ...objects(value.agents)];
  const entries = parts.flatMap((part) => [
    ...[...objects(part.blocks), ...objects(part.core_memory)].flatMap((block): ExportedEntry[] => {
      const text = scalar(block.value);
      return text ? [{ id: scalar(block.id), speaker: scalar(block.label), text }] : [];
    }),
    ...[...objects(part.passages), ...objects(part.archival_memory)].flatMap((passage) =>
      plainEntry(passage, ['text', 'content']),
    ),
    ...objects(part.messages).flatMap((message): ExportedEntry[] => {
      const [text, role] = [textOf(message.content) ?? textOf(message.text), scalar(message.role)];
      if (!text || !role) return [];
      return [{ id: scalar(message.id), date: minuteOf(message.created_at), speaker: role, role, text }];
    }),
  ]);
  return { name: 'Letta agent file', entries, usualRoles: ['user', 'assistant'] };
}

/** JSON Lines of `memrelay export --open`. */
function own(value: unknown): KnownExport | undefined {
  const all = objects(value);
  const isOwn = all.every(({ text, namespace, created_at }) =>
    [text, namespace, created_at].every((each) => typeof each === 'string'),
  );
  if (all.length === 0 || !isOwn) return undefined;
  const entries = all.map((line): ExportedEntry => {
    const { id, text, namespace, created_at, occurred_at } = line;
    return {
      id: scalar(id),
      date: scalar(occurred_at) ?? minuteOf(created_at),
      namespace: namespace as string,
      context: exportedContext(line),
      text: text as string,
    };
  });
  return { name: 'memrelay export', entries };
}

/** Documents with container tags, or their memories. */
function supermemory(value: unknown): KnownExport | undefined {
  const all = listed(value, ['documents', 'memories', 'memoryEntries', 'results']);
  const isIts = all.some((each) => 'containerTags' in each || 'containerTag' in each || 'spaceId' in each);
  if (!isIts) return undefined;
  return {
    name: 'Supermemory export',
    entries: all.flatMap((each) => plainEntry(each, ['memory', 'content', 'summary'])),
  };
}

/** `get_all`, or an export: texts under `memory`. */
function mem0(value: unknown): KnownExport | undefined {
  const all = listed(value, ['results', 'memories']);
  if (!all.some(({ memory }) => typeof memory === 'string')) return undefined;
  return { name: 'mem0 export', entries: all.flatMap((each) => plainEntry(each, ['memory'])) };
}

/** Facts (edges of the graph), episodes and messages. Facts that are no longer valid are left out. */
function zep(value: unknown): KnownExport | undefined {
  const facts = listed(value, ['facts', 'edges', 'relevant_facts']).filter(
    ({ fact, invalid_at, expired_at }) => typeof fact === 'string' && !invalid_at && !expired_at,
  );
  const episodes = isObject(value) ? objects(value.episodes) : [];
  if (facts.length === 0 && episodes.length === 0) return undefined;
  return {
    name: 'Zep export',
    entries: [
      ...facts.flatMap((each) => plainEntry(each, ['fact'], ['valid_at', 'created_at'])),
      ...episodes.flatMap((each) => plainEntry(each, ['content'])),
    ],
  };
}

function plainEntry(
  entry: JsonObject,
  textKeys: readonly string[],
  dateKeys: readonly string[] = ['created_at', 'createdAt', 'updated_at', 'updatedAt'],
): ExportedEntry[] {
  const text = textKeys.map((key) => textOf(entry[key])).find((each) => each !== undefined);
  if (text === undefined) return [];
  const date = dateKeys.map((key) => minuteOf(entry[key])).find((each) => each !== undefined);
  const speaker = spokenBy(entry);
  return [
    {
      id: scalar(entry.id) ?? scalar(entry.uuid),
      date,
      text,
      session: sessionOf(entry),
      ...(speaker === undefined ? {} : { saidBy: speaker }),
    },
  ];
}

/** The id of the conversation, run or thread that an entry names, or of a conversation itself. */
function sessionOf(entry: JsonObject): string | undefined {
  const keys = ['mapping', 'chat_messages'].some((key) => key in entry)
    ? ['conversation_id', 'id', 'uuid']
    : ['session_id', 'conversation_id', 'thread_id', 'run_id'];
  const found = keys.map((key) => scalar(entry[key])).find((each) => each !== undefined);
  return found === undefined ? undefined : [...found].slice(0, 128).join('');
}

function spokenBy(entry: JsonObject): string | undefined {
  return scalar(entry.speaker) ?? scalar(entry.name) ?? scalar(entry.role);
}

/** RFC 3339 as `2026-03-02 14:05`, in UTC. */
function minuteOf(value: unknown): string | undefined {
  if (typeof value === 'number') return dateOf({ date: value });
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
}

/** The objects of a list, or of the list under one of these keys. */
function listed(value: unknown, keys: readonly string[]): JsonObject[] {
  if (Array.isArray(value)) {
    // JSON Lines of pages are a list of such objects
    const inner = objects(value).flatMap((each) =>
      keys.some((key) => key in each) ? listed(each, keys) : [each],
    );
    return inner;
  }
  return isObject(value) ? keys.flatMap((key) => objects(value[key])) : [];
}

function objects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
