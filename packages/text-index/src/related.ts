import { englishStem } from './language/english.ts';

/**
 * Words that answer a question which uses another word: "tea" answers "what does Ana drink?". A short list of everyday
 * subjects for the built-in embedder, which does not know what words mean. Written without looking at questions of the
 * bench (bench/README.md, "Recall quality"). Used for questions only: the index of texts does not depend on it.
 */
const answers = `
  drink: tea coffee water juice wine beer milk soda cocktail lemonade smoothie latte espresso whisky cocoa
  eat: food meal breakfast lunch dinner dish pizza pasta salad vegan vegetarian meat fish cake bread cook restaurant snack
  food: eat meal breakfast lunch dinner dish pizza pasta salad vegan vegetarian cook cuisine restaurant
  live: home house apartment flat city move address reside
  home: house apartment live
  work: job career office company employ engineer teacher nurse
  job: work career office company
  pet: dog cat puppy kitten rabbit hamster turtle bird fish
  animal: dog cat horse bird pet
  hobby: enjoy love passion play paint read run garden
  instrument: guitar piano violin drum clarinet flute cello
  music: song band concert album singer guitar piano
  book: read novel author story
  movie: film watch cinema
  family: mother father mom dad brother sister son daughter wife husband kid parent
  travel: trip visit vacation flight
  car: drive vehicle
  sport: football soccer basketball tennis run swim
  allergic: allergy
  birthday: born
  married: husband wife wedding
  language: speak
  school: study university college degree
  color: colour red blue green`;

const byTerm = new Map(
  answers
    .trim()
    .split('\n')
    .map((line) => {
      const [word, words] = line.split(':') as [string, string];
      return [englishStem(word.trim()), [...new Set(words.trim().split(' ').map(englishStem))]] as const;
    }),
);

/** Terms of texts that may answer a question with this term; none for most terms. */
export function relatedTerms(term: string): readonly string[] {
  return byTerm.get(term) ?? [];
}
