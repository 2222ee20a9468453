/** Texts of the page that connects agents and programs. */
export const connectEn = {
  'nav.connect': 'Connect',
  'connect.title': 'Connect an agent or a program',
  'connect.about': 'Everything here is for your account and relayer. Copy it, then watch the check below.',
  'connect.check.waiting': 'Waiting for a sign-in or a new memory…',
  'connect.check.waiting.about':
    'Ask your agent to remember something, or run your program. Reading alone does not show up here.',
  'connect.check.key': 'Connected: {name} has signed in',
  'connect.check.memory': 'Connected: a new memory in {namespace}',
  'connect.check.done.about': 'It arrived {time}.',
  'connect.agent': 'An agent',
  'connect.agent.host': 'Agent host',
  'connect.agent.install': 'This command writes its configuration, and asks before it does:',
  'connect.agent.file': 'Or add this to {file} yourself:',
  'connect.agent.remote':
    'Or over HTTP, without a process on your computer. The host signs in in your browser:',
  'connect.agent.docs': 'About tool servers in {host}',
  'connect.program': 'A program',
  'connect.program.language': 'Programming language',
  'connect.program.key':
    'Create a key for it first. The file contains delegatePrivateKey, which is secret: pass it in MEM_DELEGATE_KEY.',
} as const;

export type ConnectTexts = Readonly<Record<keyof typeof connectEn, string>>;
