import type { ChatCall, ChatReply } from '../src/chat-completions.ts';

/** A conversation, the facts that a model would find in it, and an answer, for the pictures of the dashboard. */
export const conversation = `Me: The call with Nordlicht went well. Their contact is now Amira Haddad, Tomas has left.
Colleague: Good. Did they say anything about the deadline?
Me: Yes, they need the migration done before June 12, because of their audit. The mood was good.`;

const facts = [
  "Nordlicht's contact is Amira Haddad; Tomas has left.",
  'Nordlicht needs the migration done before June 12, because of their audit.',
  'The mood was good.',
];

export function answerOf(call: ChatCall): ChatReply {
  const document = JSON.parse(call.messages[1]!.content) as { memories?: { id: string; text: string }[] };
  const schema = JSON.stringify(call.response_format.json_schema.schema);
  if (schema.includes('"facts"'))
    return {
      content: {
        facts: facts.map((text) => ({ text, importance: 'standard', relation: 'new', memory: null })),
      },
    };
  const idOf = (text: string) => document.memories?.find((memory) => memory.text.includes(text))?.id;
  return {
    content: {
      known: true,
      answer: `Something without hazelnuts: Dana is allergic to them, while almonds are fine [${idOf('allergic')}]. Green tea goes well with it [${idOf('green tea')}].`,
    },
  };
}

/** Messages of an invented chat export */
const messages = [
  'I am learning Japanese and know about 300 kanji.',
  'Please keep answers short, with a code example first.',
  'My daughter starts school in Leipzig in September.',
];

/** An export of ChatGPT with one conversation. */
export const sampleExport = [
  {
    title: 'About me',
    create_time: 1_772_445_600,
    conversation_id: 'sample',
    current_node: `m${messages.length - 1}`,
    mapping: Object.fromEntries(
      messages.map((text, i) => [
        `m${i}`,
        {
          parent: i === 0 ? null : `m${i - 1}`,
          children: [],
          message: {
            author: { role: 'user' },
            create_time: 1_772_445_600 + i * 60,
            content: { content_type: 'text', parts: [text] },
          },
        },
      ]),
    ),
  },
];
