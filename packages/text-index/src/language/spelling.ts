/**
 * British spellings as American ones, so that both have the same stem. The rules also change some words that have only
 * one spelling ("advise"). That is harmless, because texts and questions are changed in the same way.
 */

/** Not a suffix here, and words of the same family are not changed by the rule. */
const keptIse = new Set(
  'advise compromise concise demise despise devise enterprise exercise expertise franchise improvise likewise merchandise otherwise paradise precise premise promise revise supervise surprise televise tortoise treatise turquoise'.split(
    ' ',
  ),
);

const rules: readonly [RegExp, string][] = [
  [
    /^([a-z]+[bcdfghjklmnpqrstvwxz])our(|s|ed|ing|er|ers|ite|ites|able|ably|al|ful|fully|less|hood|hoods|ly)$/,
    '$1or$2',
  ],
  [/^([a-z]{2,}l)ys(e|ed|es|ing|er|ers)$/, '$1yz$2'],
  [/^((?:[a-z]*)(?:cent|met|theat|lit|fib|calib|spect|somb|lust|meag|sab))re(s|d)?$/, '$1er$2'],
  [/^([a-z]{3,}[aeiou][gl])ogue(s|d)?$/, '$1og$2'],
  [/^([a-z]{2,}[aeiou][^aeiou]+[aei])ll(ed|ing|er|ers|or|ors|ery|ous|ously|est)$/, '$1l$2'],
  [/^([a-z]*(?:def|off|pret))ence(s|less)?$/, '$1ense$2'],
];
const ise = /^([a-z]{4,})is(e|ed|es|er|ers|ing|ation|ations|able)$/;

/** Each British spelling is followed by the American one. */
const pairs = new Map(
  `ageing aging|aeroplane airplane|aeroplanes airplanes|aluminium aluminum|anaemia anemia|anaemic anemic|anaesthetic anesthetic
  archaeology archeology|axe ax|centring centering|cheque check|cheques checks|cosy cozy|cosier cozier|counsellor counselor
  diarrhoea diarrhea|doughnut donut|doughnuts donuts|draught draft|draughts drafts|encyclopaedia encyclopedia|enrol enroll
  enrols enrolls|enrolment enrollment|foetus fetus|fulfil fulfill|fulfils fulfills|fulfilment fulfillment|grey gray|greys grays
  gynaecologist gynecologist|haemoglobin hemoglobin|instalment installment|instalments installments|jewellery jewelry
  judgement judgment|judgements judgments|kerb curb|kerbs curbs|leukaemia leukemia|licence license|licences licenses
  manoeuvre maneuver|manoeuvres maneuvers|mould mold|mouldy moldy|moustache mustache|mum mom|mums moms|mummy mommy
  oestrogen estrogen|omelette omelet|orthopaedic orthopedic|paediatric pediatric|paediatrician pediatrician
  plough plow|ploughed plowed|ploughing plowing|practise practice|practised practiced|practising practicing|programme program
  programmes programs|pyjamas pajamas|pyjama pajama|sceptic skeptic|sceptical skeptical|skilful skillful|smoulder smolder|speciality specialty
  sulphur sulfur|tyre tire|tyres tires|wilful willful|woollen woolen|yoghurt yogurt|yoghurts yogurts`
    .split(/[|\n]/)
    .map((line) => line.trim().split(' ') as [string, string]),
);

/** The American spelling of a lower-case English word; other words unchanged. */
export function americanSpelling(word: string): string {
  if (word.length < 3 || word.length > 30) return word;
  const known = pairs.get(word);
  if (known !== undefined) return known;
  const suffixed = ise.exec(word);
  if (suffixed) return keptIse.has(`${suffixed[1]}ise`) ? word : `${suffixed[1]}iz${suffixed[2]}`;
  for (const [rule, spelling] of rules) if (rule.test(word)) return word.replace(rule, spelling);
  return word;
}
