import { inspect } from 'node:util';
import { declaredVariables, type VariableOf, variablesOf } from '@memrelay/protocol/variables';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/base/config/config-error.ts';
import { type Environment, readVariables } from '../../src/base/config/read-config.ts';
import { loadConfig } from '../../src/config/config.ts';
import { enough } from './enough-variables.ts';
import { samplesOf } from './variable-samples.ts';

type Name = VariableOf<'relayer'>;
const names = variablesOf('relayer');
const byReader = (reads: boolean): Name[] =>
  names.filter((name) => (declaredVariables[name].readBy.includes('sidecar') as boolean) === reads);

/** Settings with which a variable has an effect, where that is not always so. */
const needed: Partial<Record<Name, Environment>> = {
  // The public networks have two key servers
  ENC_THRESHOLD: { CHAIN_NETWORK: 'localnet' },
  LLM_CHAT_MODEL: { LLM_API_KEY: 'a-key' },
  MEM_DATA_DIR: { EMBEDDING_PROVIDER: 'local' },
  MEM_MODEL_DIR: { EMBEDDING_PROVIDER: 'local' },
  PUBLIC_RELAYER_URL: { PUBLIC_DASHBOARD_URL: 'https://d.example' },
  PUBLIC_DASHBOARD_URL: { PUBLIC_RELAYER_URL: 'https://m.example' },
};

/** The configuration with its warnings, or the problems with it, as text that can be compared. */
async function outcome(environment: Environment): Promise<string> {
  try {
    return inspect(await loadConfig(environment), { depth: null });
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

const problemsOf = (environment: Environment): readonly string[] => {
  try {
    readVariables(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
};

describe.each(names)('%s', (name) => {
  const { form, default: standard } = declaredVariables[name];
  const { accepted, rejected } = samplesOf(form);

  it('has its default', () => {
    if (name in enough) {
      const { [name]: _, ...without } = enough;
      expect(problemsOf(without)).toEqual([expect.stringMatching(`^${name} is required`)]);
      return;
    }
    const unset = readVariables(enough).values[name];
    if (standard === undefined) expect(unset).toBeUndefined();
    else if (standard === '') expect(unset).toEqual([]);
    else expect(unset).toEqual(readVariables({ ...enough, [name]: standard }).values[name]);
  });

  it('takes other values', () => {
    for (const value of accepted)
      expect(problemsOf({ ...enough, ...needed[name], MEM_DATA_DIR: '/data', [name]: value }), value).toEqual(
        [],
      );
  });

  it('rejects bad values by name, without repeating them', () => {
    for (const value of rejected) {
      const [problem, ...others] = problemsOf({ ...enough, ...needed[name], [name]: value });
      expect(problem, value).toMatch(`${name}: `);
      expect(others).toEqual([]);
      if (value.length > 8) expect(problem).not.toContain(value);
    }
  });
});

describe.each(byReader(false))('%s, which only the relayer reads,', (name) => {
  it('changes the configuration', async () => {
    const base = { ...enough, ...needed[name] };
    const first = await outcome(base);
    const changed = await Promise.all(
      samplesOf(declaredVariables[name].form).accepted.map((value) => outcome({ ...base, [name]: value })),
    );
    expect(changed.filter((text) => text !== first)).not.toEqual([]);
  });
});
