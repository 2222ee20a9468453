/** Memories of an invented person, for the pictures of the dashboard. */
export interface SampleMemory {
  text: string;
  namespace: string;
  tags?: readonly string[];
  speaker?: string;
  /** A later version of the text */
  replacedBy?: string;
}

export const sampleMemories: readonly SampleMemory[] = [
  { namespace: 'home', text: 'The boiler is serviced every October by Hartmann & Sons.', tags: ['house'] },
  { namespace: 'home', text: 'The spare bicycle key is in the blue tin above the fridge.', tags: ['house'] },
  { namespace: 'work', text: 'Standup is at 9:40, and Priya runs it on Thursdays.', tags: ['team'] },
  {
    namespace: 'work',
    text: 'Customer Nordlicht needs invoices as PDF/A, sent before the 25th.',
    tags: ['billing', 'nordlicht'],
  },
  { namespace: 'default', text: 'Prefers short answers with a code example first.', tags: ['style'] },
  {
    namespace: 'default',
    text: 'Learning Japanese; knows about 300 kanji and likes example sentences.',
    tags: ['learning'],
  },
  {
    namespace: 'work',
    text: 'The staging database is restored from production every Sunday night.',
    tags: ['infra'],
  },
  {
    namespace: 'home',
    text: 'Dana prefers green tea and never eats before ten.',
    tags: ['dana'],
    speaker: 'Dana',
  },
  {
    namespace: 'home',
    text: 'Dinner with Dana and Leo on Friday at seven; Leo is bringing dessert.',
    tags: ['dana'],
  },
  {
    namespace: 'work',
    text: 'The launch of version 2 is planned for March 3.',
    tags: ['launch'],
    replacedBy: 'The launch moved to March 17, because the security review needs two more weeks.',
  },
  {
    namespace: 'home',
    text: 'Dana is allergic to hazelnuts; almonds are fine.',
    tags: ['dana', 'health'],
    speaker: 'Dana',
  },
];
