/** One kind of secret and where it is in a text. */
export interface SecretRule {
  kind: string;
  /** Lower case; a text without any of them cannot contain the secret */
  keywords: readonly string[];
  pattern: string;
  /** Without `d`, which is always added */
  flags: string;
  /** Number of the group that is the secret. Default: the first group that matched, or the whole match */
  group?: number;
  /** Minimum entropy of the secret, in bits per character */
  entropy?: number;
  /** A match that contains this is not a secret; ignores case */
  notInMatch?: string;
  /** A secret that matches this is none */
  notSecret?: string;
  /** A last look at the secret */
  accepts?: (secret: string) => boolean;
}

/** Shannon entropy of the characters, in bits per character. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let entropy = 0;
  const length = [...text].length;
  for (const count of counts.values()) entropy -= (count / length) * Math.log2(count / length);
  return entropy;
}
