import { describe, expect, test } from 'vitest';
import { stemIn } from '../src/language/stems.ts';
import { mayBeMisspelt, spellingSteps } from '../src/misspelling.ts';

function spellingsOf(word: string, question = `where is the ${word}`): string[] {
  const steps = spellingSteps(word, question);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

describe('other spellings of a word', () => {
  test.each([
    ['a missing letter', 'apointment', 'appointment'],
    ['a letter too many', 'lassagna', 'lasagna'],
    ['a wrong letter', 'refrigirator', 'refrigerator'],
    ['two swapped letters', 'motorcylce', 'motorcycle'],
  ])('include the right one of a word with %s', (_, wrong, right) => {
    expect(spellingsOf(wrong)).toContain(stemIn('en', right));
  });

  test('are stems in the language of the question', () => {
    expect(spellingsOf('versicherugn', 'Was kostet die versicherugn?')).toContain(
      stemIn('de', 'versicherung'),
    );
    expect(spellingsOf('рождениа', 'Когда день рождениа?')).toContain(stemIn('ru', 'рождения'));
  });

  test('keep the first letter, and are fewer than 700', () => {
    const stems = spellingsOf('appointment');
    expect(stems.filter((stem) => !stem.startsWith('a'))).toEqual([]);
    expect(stems.length).toBeLessThan(700);
  });

  test('exist only for words of 7 to 20 letters', () => {
    const words = [
      'ticket',
      'tickets',
      'a'.repeat(20),
      'a'.repeat(21),
      'v1.2.34',
      'きのこの山の上',
      'собаками',
    ];
    expect(words.map(mayBeMisspelt)).toEqual([false, true, true, false, false, false, true]);
  });
});
