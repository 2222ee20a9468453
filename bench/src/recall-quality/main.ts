import { startPostgres } from '@memrelay/dev-env/services/postgres';
import { createTestDatabase } from '@memrelay/dev-env/services/test-database';
import { machineFacts } from '../base/machine.ts';
import { embeddingsFrom } from './embedding-variables.ts';
import { fieldGains, printFieldGains } from './field-gains.ts';
import { readLocomo } from './locomo.ts';
import { measureKind } from './measure.ts';
import { measureOwnSets, type OwnSetScore, printOwnSets } from './own-sets.ts';
import { printScores, saveScores, scoresOf } from './report.ts';

/** `npm run bench:recall`: measures the share of a question's evidence that is found (bench/README.md). */

/** The parameters were chosen on the first half of the conversations. */
const path = process.env.LOCOMO_FILE ?? new URL('../../../../shared/data/locomo-dev.json', import.meta.url);
const conversations = await readLocomo(path);
const chosenOn = new Set(
  conversations.slice(0, Math.floor(conversations.length / 2)).map(({ name }) => name),
);
const embeddings = await embeddingsFrom(process.env);
const postgres = await startPostgres();
try {
  const databases = await Promise.all(embeddings.map(() => createTestDatabase(postgres.url)));
  const urls = databases.map(({ url }) => url);
  const outcomes = {
    turns: await measureKind(conversations, 'turns', embeddings, urls),
    sessions: await measureKind(conversations, 'sessions', embeddings, urls),
  };
  const scores = {
    turns: scoresOf(outcomes.turns, chosenOn),
    sessions: scoresOf(outcomes.sessions, chosenOn),
  };
  printScores(scores);
  const gains = fieldGains(outcomes.turns);
  printFieldGains(gains);
  const own: Record<string, OwnSetScore[]> = {};
  for (const [i, embedding] of embeddings.entries()) {
    const { local, apiKey, model } = embedding;
    const name = local ? local.manifest.name : apiKey ? model : 'built-in embedder';
    own[name] = await measureOwnSets(urls[i]!, embedding);
    printOwnSets(name, own[name]);
  }
  const about = {
    data: 'LoCoMo (snap-research/locomo, CC BY-NC 4.0)',
    conversations: conversations.map(({ name, turns, sessions, questions }) => ({
      name,
      turns: turns.length,
      sessions: sessions.length,
      questions: questions.length,
      parametersChosenOnIt: chosenOn.has(name),
    })),
    contextFields: gains,
    ownSets: own,
  };
  for (const file of await saveScores(await machineFacts(), about, scores, outcomes))
    console.log(`Saved to ${file}`);
} finally {
  await postgres.stop();
}
