/**
 * Synthetic memories: plausible sentences from a seed, so that every run stores and queries the same ones. A fact has ten
 * wordings with the same person, activity and place, so that a question has exactly ten good answers.
 */
import { seededRandom } from '@memrelay/dev-env/seeded-random';

const people =
  'Ana Bruno Chidi Dalia Emre Farah Goran Hana Ivo Jamila Kenji Leila Marek Nadia Oskar Priya Quentin Rosa Samir Tove Ugo Vera Wen Yara Zoltan'.split(
    ' ',
  );
const places =
  'Lisbon Oslo Kyoto Nairobi Quito Turin Dakar Riga Hanoi Cusco Bergen Tbilisi Valencia Adelaide Krakow Muscat Halifax Porto Samarkand Zagreb Accra Galway Bilbao Jaipur Split Leipzig Malmo Tartu Arequipa Windhoek Chennai Cork Gdansk Izmir Lahore Montreal Nagoya Palermo Rabat Seville'.split(
    ' ',
  );
const things = [
  'restored an old accordion',
  'planted eleven olive trees',
  'learned to bake rye bread',
  'repaired a wooden canoe',
  'finished a mosaic of herons',
  'taught chess to children',
  'translated a cookbook',
  'won a fencing tournament',
  'photographed the harbour',
  'opened a bicycle workshop',
  'adopted a three-legged cat',
  'built a telescope',
  'sang in a gospel choir',
  'wrote a radio play',
  'studied medieval maps',
  'kept bees on the roof',
  'knitted a green blanket',
  'hosted a jazz evening',
  'painted the lighthouse',
  'catalogued river insects',
];
const months = 'January February March April May June July August September October November December'.split(
  ' ',
);
const tellings = [
  (f: Fact, x: string) => `${f.person} told me that in ${f.month} they ${f.thing} in ${f.place}, ${x}.`,
  (f: Fact, x: string) => `In ${f.place}, ${f.person} ${f.thing}; that was in ${f.month}, ${x}.`,
  (f: Fact, x: string) => `Since ${f.month} everyone in ${f.place} knows that ${f.person} ${f.thing}, ${x}.`,
  (f: Fact, x: string) =>
    `${f.person} wants to remember the ${f.month} when they ${f.thing} in ${f.place}, ${x}.`,
  (f: Fact, x: string) => `The neighbours say ${f.person} ${f.thing} in ${f.place} during ${f.month}, ${x}.`,
];
const asides =
  'with little money|before the rain came|against all advice|and was proud of it|after a long illness|which took four weekends|with help from a cousin|and would do it again|although nobody asked|while the shop was closed'.split(
    '|',
  );

interface Fact {
  person: string;
  thing: string;
  place: string;
  month: string;
}

export const wordingsPerFact = 10;

/** Each of the first 1,000 facts has a different combination of person and place. */
function factOf(number: number): Fact {
  const draw = seededRandom(number * 7919 + 17);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(draw() * list.length)]!;
  return {
    person: people[number % people.length]!,
    place: places[Math.floor(number / people.length) % places.length]!,
    thing: pick(things),
    month: pick(months),
  };
}

/** One of the ten wordings (0 to 9) of a fact: 80 to 130 characters. */
export function sentence(fact: number, telling: number): string {
  const words = tellings[telling % tellings.length]!;
  return words(factOf(fact), asides[(telling * 3 + fact) % asides.length]!);
}

export function question(fact: number): string {
  const { person, thing, place, month } = factOf(fact);
  return `Was it in ${month} that ${person} ${thing} in ${place}?`;
}
