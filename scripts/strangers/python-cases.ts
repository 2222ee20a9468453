import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../testing/src/services/run-command.mjs';
import { buildPythonPackage, type PythonPackage } from '../build/python-package.ts';
import { expectIn, type StrangerCase } from './case.ts';
import { remembered } from './programs.ts';
import { UnreachableError, type Workbench } from './workbench.ts';

/** Supported versions, oldest first. Those that are not installed are reported as not reachable. */
const versions = ['3.10', '3.11', '3.12', '3.13'] as const;
/** The oldest dependencies that `pyproject.toml` allows */
const oldest = ['anyio==4.0.0', 'cryptography==42.0.0', 'httpx==0.27.0', 'pydantic==2.7.0'];

/** Pydantic AI as the extra allows it; the oldest one needs an OpenTelemetry of its time */
const pydanticAi = {
  oldest: ['pydantic-ai-slim==1.0.0', 'opentelemetry-api==1.36.0'],
  newest: ['pydantic-ai-slim'],
};

/** Frameworks of `memrelay.adapters`, as their extras allow them, and the file in `tests/live` that tests each. */
const frameworks = [
  ['LangGraph', 'test_langgraph.py', ['langgraph==1.0.0', 'langgraph-checkpoint==2.1.0'], ['langgraph']],
  ['LangChain', 'test_langchain.py', ['langchain-core==1.0.0'], ['langchain-core']],
  [
    'OpenAI Agents SDK sessions',
    'test_openai_agents_session.py',
    ['openai-agents==0.3.0'],
    ['openai-agents'],
  ],
  ['LlamaIndex', 'test_llama_index.py', ['llama-index-core==0.13.0'], ['llama-index-core']],
  ['CrewAI', 'test_crewai.py', ['crewai==1.10.1'], ['crewai']],
] as const;

/** Its source distribution has the tests that LangGraph runs against its own stores. */
const checkpoint = 'langgraph-checkpoint==4.3.2';
/** They check the embedding function and the field configuration of LangGraph's store in memory. */
const embeddingTests = [
  'test_vector_store_initialization',
  'test_vector_search_with_filters',
  'test_async_vector_search_with_filters',
  'test_embed_with_path',
];

const openaiAgents = { oldest: ['openai-agents==0.3.0'], newest: ['openai-agents'] };

const pythonClient = fileURLToPath(new URL('../../clients/python', import.meta.url));

let built: Promise<PythonPackage> | undefined;

/** The first program of the Python package's README, unchanged. */
function readmeProgram(): string {
  const readme = readFileSync(new URL('../../clients/python/README.md', import.meta.url), 'utf8');
  return /```python\n([\s\S]*?)```/.exec(readme)![1]!;
}

/** The program of the documentation that has a text, unchanged. */
function documentedProgram(text: string): string {
  const page = readFileSync(new URL('../../docs/python.md', import.meta.url), 'utf8');
  return [...page.matchAll(/```python\n([\s\S]*?)```/g)]
    .map(([, code]) => code!)
    .find((code) => code.includes(text))!;
}

/** Path of a Python of this version. Throws `UnreachableError`. */
async function interpreterOf(version: string): Promise<string> {
  const probe = `import sys, venv, ensurepip; assert sys.version.startswith("${version}."); print(sys.executable)`;
  const candidates = [`python${version}`, 'python3', 'python'];
  // pyenv's commands run another version than the current one only if it is named
  const env = { ...process.env, PYENV_VERSION: version };
  for (const candidate of candidates) {
    const path = await runCommand(candidate, ['-c', probe], { env }).catch(() => undefined);
    if (path) return path.trim();
  }
  throw new UnreachableError(`Python ${version} is not installed`);
}

/** An empty environment with only the wheel, its dependencies and `others`. Returns its programs' folder and its own. */
async function install(bench: Workbench, version: string, name: string, others: readonly string[]) {
  const interpreter = await interpreterOf(version);
  built ??= buildPythonPackage(join(bench.root, 'python'));
  const { wheel } = await built;
  const cwd = join(bench.root, `python-${name}`);
  mkdirSync(cwd, { recursive: true });
  const pip = Object.entries(process.env).filter(([key]) => /^PIP_/.test(key));
  const env = { ...Object.fromEntries(pip), PYTHONDONTWRITEBYTECODE: '1' };
  await bench.run(interpreter, ['-m', 'venv', 'venv'], { cwd, env });
  const python = join(cwd, 'venv', 'bin', 'python');
  await bench.run(python, ['-m', 'pip', 'install', '--quiet', wheel, ...others], { cwd, env });
  return { cwd, python };
}

const readmeCase = (version: string, name: string, others: readonly string[]): StrangerCase => ({
  name,
  async run({ bench, system }) {
    const { cwd, python } = await install(bench, version, name.replace(/[^\w.]+/g, '-'), others);
    const { env } = await system();
    writeFileSync(join(cwd, 'readme.py'), readmeProgram());
    expectIn(await bench.run(python, ['readme.py'], { cwd, env }), remembered);
    const list = await bench.run(python, ['-m', 'pip', 'list', '--format=freeze'], { cwd });
    const shown = /^(httpx|pydantic|cryptography)=.*$/gm;
    return [(await bench.run(python, ['--version'], { cwd })).trim(), ...(list.match(shown) ?? [])].join(
      ', ',
    );
  },
});

export const pythonCases: readonly StrangerCase[] = [
  ...versions.map((version) => readmeCase(version, `README program, Python ${version}`, [])),
  readmeCase('3.10', 'README program, Python 3.10, oldest dependencies', oldest),
  ...Object.entries(pydanticAi).map(
    ([age, packages]): StrangerCase => ({
      name: `toolset of the Python package, ${age} Pydantic AI`,
      async run({ bench, system }) {
        const { cwd, python } = await install(bench, '3.11', `pydantic-ai-${age}`, packages);
        const { env } = await system();
        writeFileSync(join(cwd, 'agent.py'), documentedProgram('memory_toolset('));
        const printed = await bench.run(python, ['agent.py'], { cwd, env });
        for (const tool of ['recall', 'remember']) expectIn(printed, `"${tool}"`);
        const list = await bench.run(python, ['-m', 'pip', 'list', '--format=freeze'], { cwd });
        return /^pydantic-ai-slim=.*$/m.exec(list)![0];
      },
    }),
  ),
  ...Object.entries(openaiAgents).map(
    ([age, packages]): StrangerCase => ({
      name: `tools of the Python package, ${age} OpenAI Agents SDK`,
      async run({ bench, system }) {
        const { cwd, python } = await install(bench, '3.11', `openai-agents-${age}`, packages);
        const { env } = await system();
        const program = `${documentedProgram('memory_tools(')}
print([tool.name for tool in assistant(AsyncMemRelay.connect()).tools])
`;
        writeFileSync(join(cwd, 'agent.py'), program);
        expectIn(await bench.run(python, ['agent.py'], { cwd, env }), "['recall', 'remember']");
        const list = await bench.run(python, ['-m', 'pip', 'list', '--format=freeze'], { cwd });
        return /^openai-agents=.*$/m.exec(list)![0];
      },
    }),
  ),
  ...frameworks.flatMap(([framework, file, oldestOne, newestOne]) =>
    Object.entries({ oldest: oldestOne, newest: newestOne }).map(
      ([age, packages]): StrangerCase => ({
        name: `adapter of the Python package, ${age} ${framework}`,
        async run({ bench, system }) {
          const { cwd, python } = await install(bench, '3.11', `${file}-${age}`, ['pytest', ...packages]);
          const { env, credentialsPath } = await system();
          const options = ['-p', 'no:cacheprovider', `tests/live/${file}`];
          const printed = await bench.run(python, ['-m', 'pytest', ...options], {
            cwd: pythonClient,
            env: { ...env, MEMRELAY_TEST_CREDENTIALS: credentialsPath, PYTHONDONTWRITEBYTECODE: '1' },
          });
          const list = await bench.run(python, ['-m', 'pip', 'list', '--format=freeze'], { cwd });
          const [name] = packages[0].split('==');
          return `${new RegExp(`^${name}=.*$`, 'm').exec(list)![0]}, ${/\d+ passed/.exec(printed)![0]}`;
        },
      }),
    ),
  ),
  {
    name: 'published tests of LangGraph stores, Python package',
    async run({ bench, system }) {
      const tools = ['pytest', 'pytest-asyncio', 'pytest-mock', 'numpy', 'hatchling'];
      const { cwd, python } = await install(bench, '3.11', 'langgraph-published', [...tools, checkpoint]);
      const { credentialsPath } = await system();
      const download = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--no-binary', ':all:', checkpoint];
      await bench.run(python, [...download, '--no-build-isolation'], { cwd });
      const folder = checkpoint.replace('==', '-').replace('langgraph-', 'langgraph_');
      await bench.run(python, ['-m', 'tarfile', '-e', `${folder}.tar.gz`], { cwd });
      const left = embeddingTests.flatMap((name) => ['--deselect', `tests/test_store.py::${name}`]);
      const options = ['-p', 'published_store_tests', '-o', 'asyncio_mode=auto', '-o', 'addopts=', ...left];
      const printed = await bench.run(python, ['-m', 'pytest', '-q', ...options, 'tests/test_store.py'], {
        cwd: join(cwd, folder),
        env: { MEMRELAY_TEST_CREDENTIALS: credentialsPath, PYTHONPATH: join(pythonClient, 'tests') },
      });
      return `${checkpoint}, ${/\d+ passed.*deselected/.exec(printed)![0]}`;
    },
  },
  {
    name: 'mypy --strict, Python package',
    async run({ bench }) {
      const { cwd, python } = await install(bench, '3.11', 'types', ['mypy']);
      writeFileSync(join(cwd, 'readme.py'), readmeProgram());
      writeFileSync(join(cwd, 'wrong.py'), `${readmeProgram()}    mem.recall(1).results[0].text.nothing\n`);
      expectIn(await bench.run(python, ['-m', 'mypy', '--strict', 'readme.py'], { cwd }), 'no issues found');
      const wrong = await bench
        .run(python, ['-m', 'mypy', '--strict', 'wrong.py'], { cwd })
        .catch((error: Error) => error.message);
      for (const code of ['arg-type', 'attr-defined']) expectIn(wrong, code);
      return 'a wrong argument and a missing attribute are errors';
    },
  },
];
