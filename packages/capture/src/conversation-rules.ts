import type { SecretRule } from './secret-rule.ts';

/**
 * Secrets as people write them in conversations, where the published rules, which are made for source code, look for other
 * forms or more randomness than a password has.
 */
const passwordWords =
  'password|passwd|passphrase|passcode|pwd|passwort|kennwort|mot de passe|contraseña|senha|wachtwoord|lösenord|hasło|пароль|パスワード|密码|비밀번호';
const secretWords = `${passwordWords}|secret|token|api[ _-]?key|private[ _-]?key|access[ _-]?key|signing[ _-]?key|encryption[ _-]?key|credentials?`;
const passwordKeywords = passwordWords.split('|');
const secretKeywords = [...passwordKeywords, 'secret', 'token', 'key', 'credential'];
const be = '(?:is|was|are|=|:|ist|lautet|war|est|es|é|är|to)';

/** Values that name a secret instead of being one: variables, placeholders, calls, types. */
const placeholder =
  /^(?:\$|\{\{|%\w+%|<|\[|-|(?:process|import|os|env|this|self|req|args|options|config|settings)\.|await$|new$|null$|undefined$|none$|nil$|true$|false$|string\b|str$|number\b|boolean\b|bytes?$|uint8array|buffer$|optional|secretstr|\*+$|x{3,}$|\.{3}|…)|[(){}]|=>|\[masked/i;
/** What a sentence says about a password without giving it away. */
const predicate =
  /^(?:a|an|the|not|no|now|too|very|that|this|what|which|wrong|right|correct|incorrect|invalid|valid|empty|missing|unknown|secret|safe|unsafe|weak|strong|short|long|easy|hard|public|private|different|same|fine|good|bad|old|new|mine|yours|okay|null|there|here|only|also|still|always|never|being|under|inside|with|from|for|and|or|but|if|when|it|its|my|your|our|their|his|her|one|some|any|something|please|kept|sent|lost|set|hidden|written|known|shown|chosen|given|due|through|by|up|out|down|on|in|at|about|where|how|reset|change|use|log|get|be|do|go|make|verify|protect|access|unlock|enter|open|sign|store|keep)$|(?:ed|ing|ly|able|ible)$/i;

const isValue = (value: string): boolean => !placeholder.test(value);
const hasDigit = (value: string): boolean => /\d/.test(value);
const isUnusual = (value: string): boolean => /[\d!@#$%^&*+=~?]|[a-z][A-Z]/.test(value);
const isPassword = (value: string): boolean => isValue(value) && (isUnusual(value) || !predicate.test(value));
const isToken = (value: string): boolean =>
  isValue(value) && hasDigit(value) && /[a-z]/i.test(value) && !/^https?:/i.test(value);

const quote = '["\'`“„«]?';
// Not the punctuation after it, except `!`, which ends many passwords
const value = '([^\\s"\'`”“»,;]{3,}[^\\s"\'`”“»,;.?)\\]])';

export const conversationRules: readonly SecretRule[] = [
  {
    kind: 'private-key',
    keywords: ['private key'],
    pattern: '-----BEGIN[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\\s\\S]*?(?:-----END[A-Z0-9 ]*-----|$)',
    flags: 'g',
  },
  {
    kind: 'sui-private-key',
    keywords: ['suiprivkey1'],
    pattern: '\\bsuiprivkey1[02-9ac-hj-np-z]{40,}\\b',
    flags: 'gi',
  },
  {
    kind: 'seed-phrase',
    keywords: ['seed', 'recovery', 'mnemonic', 'backup phrase'],
    pattern:
      '\\b(?:seed|recovery|mnemonic|backup)(?: (?:phrase|words))?\\s*(?:is|are|:|=)\\s*["\'`]?((?:[a-z]{3,8}[\\s,]+){11,23}[a-z]{3,8})\\b',
    flags: 'gi',
  },
  {
    kind: 'url-password',
    keywords: ['://'],
    pattern: '\\b[a-z][a-z0-9+.-]{0,20}://[^\\s/:@"\']{0,100}:([^\\s/@"\']{1,500})@',
    flags: 'gi',
    accepts: isValue,
  },
  {
    kind: 'authorization-header',
    keywords: ['bearer', 'basic'],
    pattern: '\\b(?:bearer|basic)\\s+([A-Za-z0-9._~+/-]{16,}={0,2})',
    flags: 'gi',
    accepts: isToken,
  },
  {
    kind: 'password',
    keywords: passwordKeywords,
    pattern: `(?:${passwordWords})["'\`*_]*\\s*[=:：]\\s*[*_]*${quote}${value}`,
    flags: 'gi',
    accepts: isPassword,
  },
  {
    kind: 'password',
    keywords: passwordKeywords,
    pattern: `(?:${passwordWords})["'\`*_]*(?: (?:for|to|of|on|at|in|für|de|del|para|pour) [^.!?\\n]{1,60}?)? ${be}(?: now| still| jetzt| just)?:? ${quote}${value}`,
    flags: 'gi',
    accepts: isPassword,
  },
  {
    kind: 'password',
    keywords: [...passwordKeywords, 'sshpass', 'mysql'],
    pattern: `(?:--(?:password|passwd|passphrase)|\\bsshpass -p|\\bmysql\\b.{0,80} -p)[ =]?${quote}${value}`,
    flags: 'gi',
    accepts: isPassword,
  },
  {
    kind: 'password',
    keywords: passwordKeywords,
    pattern: `(?:${passwordWords})["'\`*_]*(?: ${be}|\\s*[=:]|(?= ))\\s*["'\`“„«]([^"'\`”“»\\n]{3,80})["'\`”“»]`,
    flags: 'gi',
    accepts: isValue,
  },
  {
    kind: 'password',
    keywords: passwordKeywords,
    pattern: `(?:${passwordWords}) ${value}`,
    flags: 'gi',
    accepts: (found) => isToken(found) && !/^[a-z]+\.[a-z]+$|^\d/i.test(found),
  },
  {
    kind: 'pin',
    keywords: ['pin'],
    pattern:
      '\\bpin(?: (?:code|number))?(?: (?:for|to|of|on) [^.!?\\n]{1,40}?)?\\s*(?:is|=|:)\\s*["\'`]?(\\d{4,8})\\b',
    flags: 'gi',
  },
  {
    kind: 'token',
    keywords: secretKeywords,
    pattern: `(?:${secretWords}|\\bkey)s?["'\`*_]*(?: (?:for|to|of|on) [^.!?\\n]{1,60}?)?(?: (?:is|was|are)|\\s*[=:])(?: now)?\\s*[*_]*${quote}([^\\s"'\`”“»,;]{7,}[^\\s"'\`”“»,;.?)\\]])`,
    flags: 'gi',
    accepts: isToken,
  },
  {
    kind: 'token',
    keywords: ['key ', 'token ', 'secret '],
    pattern: '\\b(?:key|token|secret) ["\'`]?([A-Za-z0-9][\\w.-]{14,}[\\w-])',
    flags: 'gi',
    accepts: isToken,
  },
  {
    kind: 'token',
    keywords: ['sk-', 'sk_', 'rk_', 'pk_', 'key-', 'key_', 'tok_', 'pat_', 'secret_', 'secret-'],
    pattern: '\\b(?:sk|rk|pk|key|tok|pat|secret)[-_][\\w-]{16,}',
    flags: 'g',
    accepts: isToken,
  },
  {
    kind: 'token',
    keywords: secretKeywords,
    pattern: `--(?:token|secret|api-key|private-key|key)[ =]${quote}${value}`,
    flags: 'gi',
    accepts: isToken,
  },
];
