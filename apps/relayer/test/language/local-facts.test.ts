import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { localFacts } from '../../src/language/facts/local-facts.ts';

const factsOf = (text: string) => localFacts(text, undefined).map((fact) => fact.text);

describe('makes each statement a fact without a model', () => {
  test.each<[string, string[]]>([
    [
      "I'm vegan. I have two dogs, Rex and Bella. My sister is Ana.",
      ["I'm vegan.", 'I have two dogs, Rex and Bella.', 'My sister is Ana.'],
    ],
    [
      "i'm vegan. i have two dogs. i said no. i left.",
      ["i'm vegan.", 'i have two dogs.', 'i said no.', 'i left.'],
    ],
    ['I smoke. Bo left! Ana cooks?', ['I smoke.', 'Bo left!', 'Ana cooks?']],
    ['She said no. I left. My dog is 5. He barks.', ['She said no.', 'I left.', 'My dog is 5.', 'He barks.']],
    ['I like tea, coffee, etc. My dog is Rex.', ['I like tea, coffee, etc.', 'My dog is Rex.']],
    ['We buy nuts, oats etc. in bulk.', ['We buy nuts, oats etc. in bulk.']],
    ['Meet at 5 p.m. I go home.', ['Meet at 5 p.m.', 'I go home.']],
    [
      'Dr. Li lives in the U.S. and works at Acme Inc. He is 40.',
      ['Dr. Li lives in the U.S. and works at Acme Inc.', 'He is 40.'],
    ],
    ['No. 5 is my favourite perfume. It is on p. 12.', ['No. 5 is my favourite perfume.', 'It is on p. 12.']],
    ['I use 3.5 GB. Version 1.2.3 is out.', ['I use 3.5 GB.', 'Version 1.2.3 is out.']],
    ['See https://example.com/a.b?c=d. It works.', ['See https://example.com/a.b?c=d.', 'It works.']],
    ['“Stop!” he said. I stopped.', ['“Stop!” he said.', 'I stopped.']],
  ])('extracts: %s', (text, facts) => expect(factsOf(text)).toEqual(facts));

  test.each<[string, string[]]>([
    ['Soy vegano. Tengo dos perros. ¡Gracias!', ['Soy vegano.', 'Tengo dos perros. ¡Gracias!']],
    [
      "Je suis végétarien. J'ai deux chiens. Merci beaucoup.",
      ['Je suis végétarien.', "J'ai deux chiens. Merci beaucoup."],
    ],
    [
      'Am 3. Mai ziehe ich um. Ich bin Veganer. Z. B. Hunde mag ich.',
      ['Am 3. Mai ziehe ich um.', 'Ich bin Veganer.', 'Z. B. Hunde mag ich.'],
    ],
    ['Я веган. У меня две собаки. Спасибо!', ['Я веган.', 'У меня две собаки. Спасибо!']],
    ['我吃素。我有两只狗。谢谢！', ['我吃素。', '我有两只狗。 谢谢！']],
    [
      '私はベジタリアンです。犬を飼っています。ありがとうございます。',
      ['私はベジタリアンです。', '犬を飼っています。 ありがとうございます。'],
    ],
    [
      '저는 채식주의자입니다. 개가 두 마리 있습니다. 감사합니다.',
      ['저는 채식주의자입니다.', '개가 두 마리 있습니다. 감사합니다.'],
    ],
    ['मैं शाकाहारी हूँ। मेरे दो कुत्ते हैं।', ['मैं शाकाहारी हूँ।', 'मेरे दो कुत्ते हैं।']],
    ['أنا نباتي. هل تحب الكلاب؟ لدي كلبان.', ['أنا نباتي.', 'هل تحب الكلاب؟', 'لدي كلبان.']],
  ])('extracts in other languages: %s', (text, facts) => expect(factsOf(text)).toEqual(facts));

  test.each<[string, string[]]>([
    [
      '1. I am vegan\n2. I have two dogs\n3) Ana likes tea',
      ['I am vegan', 'I have two dogs', 'Ana likes tea'],
    ],
    ['- [ ] call Bo\n* buy milk', ['call Bo', 'buy milk']],
    ['Shopping list:\n- milk\n- eggs', ['Shopping list: milk eggs']],
    ['Allergies: nuts\nPets: two dogs', ['Allergies: nuts', 'Pets: two dogs']],
  ])('extracts from lists: %s', (text, facts) => expect(factsOf(text)).toEqual(facts));
});

describe('an incomplete statement', () => {
  test.each<[string, string[]]>([
    ['Yes. I smoke. Thanks!', ['Yes. I smoke. Thanks!']],
    ['I have two dogs. Rex. Bella.', ['I have two dogs. Rex. Bella.']],
    [
      'Ana: Do you like dogs?\nBo: Yes.\nBo: I like cats, too.',
      ['Ana: Do you like dogs? Bo: Yes.', 'Bo: I like cats, too.'],
    ],
    [
      "Ana: Hi! How are you? I'm vegan. I moved in May.",
      ["Ana: Hi! How are you? I'm vegan.", 'Ana: I moved in May.'],
    ],
    ['Well... I have two dogs. OK.', ['Well... I have two dogs. OK.']],
  ])('is kept together with its neighbor: %s', (text, facts) => expect(factsOf(text)).toEqual(facts));

  test.each([
    'Thanks!',
    'Yes.',
    'ok',
    'Ana: Hi! How are you?\nBo: Fine, thank you!',
    'Vielen Dank!',
    '谢谢！',
    '…',
    '---',
  ])('ignores: %s', (text) => expect(factsOf(text)).toEqual([]));

  test('keeps a meaningful single word', () => {
    expect(factsOf('Vegan.')).toEqual(['Vegan.']);
    expect(factsOf('Hi! Vegan. Thanks.')).toEqual(['Hi! Vegan. Thanks.']);
  });
});

test('loses no word of a text with a statement', () => {
  const part = fc.constantFrom(
    'I am vegan',
    'Yes',
    'Ana: Hi',
    'no',
    'Rex',
    '2 dogs',
    'go on',
    '谢谢',
    'i left',
    'p.m',
  );
  const end = fc.constantFrom('. ', '! ', '? ', '\n', '... ', '。');
  fc.assert(
    fc.property(fc.array(fc.tuple(part, end), { minLength: 1, maxLength: 12 }), (parts) => {
      const text = `${parts.map((pair) => pair.join('')).join('')}I have a garden.`;
      const words = (some: string) =>
        (some.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !['Ana'].includes(word));
      expect(words(factsOf(text).join(' '))).toEqual(words(text));
    }),
  );
});
