/** Longest sentence that is kept, in characters: longer ones are pasted text. */
const longest = 400;
const shortest = 12;

const who = "(?:I|we)(?:'(?:ve|m|re|d))?";
const often =
  '(?: (?:always|never|only|mostly|usually|really|also|still|just|all|both|don.t|do not|can.t|cannot))*';
const lasting =
  'am|are|prefer|like|love|hate|dislike|enjoy|use|used|work|worked|live|lived|moved|avoid|decided|agreed|chose|chosen|switched|migrated|deploy|release|ship|host|run|write|speak|study|own|follow|maintain|support|target|require|need|keep|store|call|name|standardi[sz]ed|settled|picked';
const things =
  'project|repo|repository|app|application|service|team|company|customer|client|codebase|code|database|schema|api|server|build|release|deploy(?:ment)?s?|staging|production|test suite|tests|pipeline|ci|docs|documentation|design|deadline|meeting|style|convention|rule|goal';
const states =
  'is|are|was|were|has|have|uses?|runs?|lives?|starts?|ends?|must|should|needs?|requires?|goes|go|happens?|belongs?|expects?|follows?|means';

/** What says that a sentence is meant to last. */
const kept: readonly RegExp[] = [
  /\b(?:remember|keep in mind|don't forget|do not forget|note that|for the record|fyi)\b/i,
  /^(?:from now on|in future|going forward|as a rule|always|never|please (?:always|never)|don't ever|do not ever)\b/i,
  new RegExp(`\\b${who}${often} (?:${lasting})\\b`, 'i'),
  /\b(?:I'm|we're) [a-z]/i,
  new RegExp(`\\b(?:my|our) [\\w'’/ -]{2,60}? (?:${states}|prefers?)\\b`, 'i'),
  new RegExp(`\\b(?:the|this) (?:[\\w-]+ ){0,2}(?:${things})\\b[^.?!]{0,60}? (?:${states})\\b`, 'i'),
];
/** What says that it is only about this moment: questions, requests, problems being worked on. */
const passing: readonly RegExp[] = [
  /\?\s*$/,
  /^(?:can|could|would|will|do|does|did|is|are|was|were|should|shall|may|what|why|how|when|where|who|which|whose)\b/i,
  /\b(?:I|we)(?:'m| am|'re| are) (?:getting|seeing|trying|having|going|stuck|looking|working on|running into|wondering|confused|not sure|sure|afraid|done|back|ready|happy|sorry|here)\b/i,
  /\b(?:need|want|would like|'d like) (?:you|it|this|that|to|a|the)\b/i,
  /\b(?:error|exception|stack ?trace|traceback|undefined|NaN)\b/i,
];
const code = /^\s*(?:[>$#+|]|\/\/|\d+[:.]\d+|at |@@)|[{};]\s*$|=>|<\/|\(\)/;

/**
 * The sentences in which users state something lasting: what they prefer, who they are, what was decided, how their project
 * works. By rules for English, for relayers without a chat model; so it misses much, and prefers to miss.
 */
export function ownStatements(text: string): string[] {
  const prose = text
    .replace(/```[\s\S]*?(?:```|$)/g, '\n')
    .split('\n')
    .filter((line) => !code.test(line))
    .join('\n');
  const statements = prose
    .split(/\n+/)
    .flatMap(sentencesOf)
    .map((sentence) => sentence.replace(/^[\s\-*•]+|\s+$/g, '').replace(/\s+/g, ' '))
    .filter(isStatement);
  return [...new Set(statements)];
}

function isStatement(sentence: string): boolean {
  if (sentence.length < shortest || sentence.length > longest) return false;
  const explicit = kept.slice(0, 2).some((pattern) => pattern.test(sentence));
  if (/\?\s*$/.test(sentence)) return false;
  if (explicit) return true;
  return kept.some((pattern) => pattern.test(sentence)) && !passing.some((pattern) => pattern.test(sentence));
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

function sentencesOf(line: string): string[] {
  return [...segmenter.segment(line)].map(({ segment }) => segment);
}
