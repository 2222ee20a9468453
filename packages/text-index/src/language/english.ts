import { stem as porter2 } from 'porter2';
import { americanSpelling } from './spelling.ts';

/** Words in most English sentences and questions, which would match everything. */
export const stopWords: ReadonlySet<string> = new Set(
  `a about again all also am an and any anything are as at be because been being both but by can could did do does doing
  done each else ever every few for from get gets getting got gotten had has have having he her here hers herself him
  himself his how however i if in into is it its itself just like likely ll lot lots many maybe me might mine more most much must my
  myself no nor not of off oh ok okay on once one only or other our ours ourselves out over own quite re really same shall
  she should so some something such than that the their theirs them themselves then there these they thing things this those though
  through to too under until up upon us ve very was we well were what whatever when where which while who whom whose why will
  with within without would yeah yes yet you your yours yourself yourselves s t d m o th st nd rd http https www com
  don doesn didn isn aren wasn weren hasn haven hadn won wouldn couldn shouldn mustn ain`.split(/\s+/),
);

/** Irregular past tenses and plurals. Each entry is the base form followed by its other forms. */
const irregular = new Map(
  `arise arose arisen|awake awoke awoken|bear bore borne|beat beaten|become became|begin began begun|bend bent|bet betting
  bind bound|bite bit bitten|bleed bled|blow blew blown|break broke broken|breed bred|bring brought|build built|burn burnt
  buy bought|catch caught|choose chose chosen|cling clung|come came coming|creep crept|deal dealt|dig dug|draw drew drawn
  dream dreamt|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt|fight fought
  find found|flee fled|fly flew flown flies|forbid forbade forbidden|forget forgot forgotten|forgive forgave forgiven
  freeze froze frozen|give gave given|go went gone goes|grind ground|grow grew grown|hang hung|hear heard|hide hid hidden
  hold held|keep kept|kneel knelt|know knew known|lay laid|lead led|leap leapt|learn learnt|leave left|lend lent
  light lit|lose lost|make made|mean meant|meet met|mistake mistook mistaken|overcome overcame|pay paid|prove proven
  ride rode ridden|ring rang rung|rise rose risen|run ran|say said|see saw seen|seek sought|sell sold|send sent
  sew sewn|shake shook shaken|shine shone|shoot shot|show shown|shrink shrank shrunk|sing sang sung|sink sank sunk
  sit sat|sleep slept|slide slid|speak spoke spoken|speed sped|spell spelt|spend spent|spin spun|spread spreading
  spring sprang sprung|stand stood|steal stole stolen|stick stuck|sting stung|strike struck stricken|strive strove
  swear swore sworn|sweep swept|swell swollen|swim swam swum|swing swung|take took taken|teach taught|tear tore torn
  tell told|think thought|throw threw thrown|understand understood|wake woke woken|wear wore worn|weave wove woven
  weep wept|win won|wind wound|write wrote written|child children|man men|woman women|person people|foot feet
  tooth teeth|goose geese|mouse mice|life lives|wife wives|knife knives|leaf leaves|half halves|shelf shelves
  wolf wolves|good better best|bad worse worst|far further farther furthest`
    .split(/[|\n]/)
    .map((line) => line.trim().split(/\s+/))
    .flatMap(([base, ...forms]) => forms.map((form) => [form, base!] as const)),
);

export const months: ReadonlySet<string> = new Set(
  'january february march april may june july august september october november december'.split(' '),
);

/** The stem of a lower-case word: irregular forms from the table, others by the Porter2 stemmer. */
export function englishStem(word: string): string {
  return porter2(irregular.get(word) ?? americanSpelling(word));
}

/** The stem as it was stored before spellings were unified (tokenizer 1). */
export function formerEnglishStem(word: string): string {
  return porter2(irregular.get(word) ?? word);
}
