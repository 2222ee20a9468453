import { parseArgs } from 'node:util';
import { type Flag, type FlagName, flags, type SecretVariable, variableOf } from './flags.ts';

/** All problems of the settings, one per line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export type Environment = Record<string, string | undefined>;

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** Milliseconds of a duration such as `1d`, `12h`, `30m`, `5s` or `200ms`; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const match = /^([1-9]\d{0,8})(ms|s|m|h|d|w)$/.exec(text);
  return match === null ? undefined : Number(match[1]) * unitMs[match[2] as keyof typeof unitMs];
}

interface Setting {
  value: string;
  /** The flag or variable that was set, for the error message */
  source: string;
}

function readSettings(args: string[], env: Environment): Map<FlagName, Setting> {
  const names = Object.keys(flags) as FlagName[];
  const isSwitch = (name: FlagName): boolean => (flags[name] as Flag).value === undefined;
  const options = Object.fromEntries(
    names.map((name) => [name, { type: isSwitch(name) ? ('boolean' as const) : ('string' as const) }]),
  );
  let values: Record<string, unknown>;
  try {
    ({ values } = parseArgs({ args, options, strict: true }));
  } catch (error) {
    throw new ConfigError((error as Error).message);
  }
  const settings = new Map<FlagName, Setting>();
  for (const name of names) {
    const flagValue = values[name];
    const variable = variableOf(name);
    const fromEnv = env[variable];
    if (flagValue !== undefined) settings.set(name, { value: String(flagValue), source: `--${name}` });
    else if (fromEnv !== undefined && fromEnv !== '')
      settings.set(name, { value: fromEnv, source: variable });
  }
  return settings;
}

/**
 * Reads flags and variables; flags take precedence. An invalid value is recorded and replaced by a fallback, so
 * that `end` reports all problems at once.
 */
export class Settings {
  readonly #settings: Map<FlagName, Setting>;
  readonly #env: Environment;
  readonly #problems: string[] = [];

  /** Throws `ConfigError` for a flag that does not exist or lacks its value. */
  constructor(args: string[], env: Environment) {
    this.#settings = readSettings(args, env);
    this.#env = env;
  }

  has(flag: FlagName): boolean {
    return this.#settings.has(flag);
  }

  text(flag: FlagName): string | undefined {
    return this.#settings.get(flag)?.value;
  }

  /** `check` returns what the text must be, or undefined if it is valid. */
  checked(flag: FlagName, check: (text: string) => string | undefined): string | undefined {
    const setting = this.#settings.get(flag);
    if (setting === undefined) return undefined;
    const expected = check(setting.value);
    if (expected === undefined) return setting.value;
    this.#problems.push(`${setting.source} must be ${expected}`);
    return undefined;
  }

  number(flag: FlagName, fallback: number, minimum: number, maximum: number): number {
    const text = this.checked(flag, (value) => {
      const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
      return number >= minimum && number <= maximum
        ? undefined
        : `a whole number from ${minimum} to ${maximum}`;
    });
    return text === undefined ? fallback : Number(text);
  }

  /** A switch: false unless it is given. */
  on(flag: FlagName): boolean {
    return (
      this.checked(flag, (value) => (/^(true|false)$/.test(value) ? undefined : 'true or false')) === 'true'
    );
  }

  /** Milliseconds. */
  duration(flag: FlagName): number | undefined {
    const text = this.checked(flag, (value) =>
      parseDuration(value) === undefined ? 'a duration such as 1d, 12h or 30m' : undefined,
    );
    return text === undefined ? undefined : parseDuration(text);
  }

  secret(variable: SecretVariable): string | undefined {
    return this.#env[variable] || undefined;
  }

  problem(text: string): void {
    this.#problems.push(text);
  }

  /** Throws `ConfigError` with all recorded problems, if there are any. */
  end(): void {
    if (this.#problems.length > 0) throw new ConfigError(this.#problems.join('\n'));
  }
}
