import { textSegments } from '../base/text-segments.ts';

/** Terms of scripts whose words are not separated by spaces, or not separated from their particles. */

/** One part of a run, in one kind of script. */
export const scriptParts =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+|\p{Script=Hangul}+|[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{M}]+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;

const ideographic = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u;
const hangul = /^\p{Script=Hangul}/u;
const dictionary = /^[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const han = /^\p{Script=Han}$/u;
const hiragana = /^\p{Script=Hiragana}$/u;

const wordsOf = textSegments('word');

/** Chinese particles, pronouns and auxiliaries; a pair with one of them is no word. */
const chineseParticles = new Set('的了吗呢吧啊嘛着我你您他她它们这那哪么谁什是在和与也都就很');
/** Words that contain one of them */
const keptPairs = new Set(
  '目的 了解 了不 什锦 和平 和谐 在线 是非 这里 现在 存在 首都 成都 都市 着急 着火 我国 自我'.split(' '),
);
/** Common words of one character, which the dictionary often takes for a part of the next or previous word. */
const oneCharacterWords = new Set(
  '猫狗鱼鸟马牛羊猪鸡鸭兔花树草茶酒水饭面汤肉菜蛋糖盐油米书笔车船家门窗床桌椅灯钱药病头手脚眼鼻耳嘴心爱吃喝买卖住睡跑走飞唱跳写读学教画听看借还丢找修送寄带坐开关洗穿红黄蓝绿黑爸妈哥姐弟妹儿雨雪风山河海湖桥路鞋帽伞包',
);
/** Japanese particles, which stand before or after a word in kanji */
const japaneseParticles = new Set('はがをにでとのもへやかねよ');
/** Insignificant pairs of hiragana: endings of verbs, auxiliaries, pronouns and question words. */
const japaneseEndings = new Set(
  `した して する ます まし ませ せん です でし だっ った って てい いる いた いま ある あり りま れる れた られ ない なか なの から まで こと
  もの それ これ あれ この その あの どこ どの いつ だれ なに ので のに には では とは へは でも にも とも よう うに そう ため たい たち さん くだ
  ださ さい しま すか ます たか ですか すが のは のが のを のか かっ んで んだ いて って てる なる なり なっ ほど より だけ など`.split(
    /\s+/,
  ),
);

const koreanParticles =
  `에서는 에서도 에게서 으로는 으로도 이라고 입니다 이에요 예요 에서 에게 에는 에도 으로 까지 부터 처럼 보다 한테 께서 이랑 이나 라고 이다 은 는 이 가 을 를 에 의 도
  로 와 과 만 랑 야`
    .split(/\s+/)
    .sort((a, b) => b.length - a.length);
const koreanStopWords = new Set(
  `나 나는 내 내가 저 저는 제 제가 우리 우리는 너 너는 네 그 그는 그녀 이 것 수 등 및 더 안 못 잘 어디 어디에 어디에서 어디서 무엇 무엇을 무슨 뭐 뭘 누구 누가
  언제 왜 어떻게 어떤 얼마 얼마나 몇 있 있다 있어 있어요 있는 있나요 있습니까 있습니다 없다 없어요 하다 해요 하는 했다 했어요 했나요 합니다 합니까 하나요 했습니다 그리고 하지만 매우 아주 정말`.split(
    /\s+/,
  ),
);
const koreanEndings = new Set(
  `니다 니까 습니 입니 합니 됩니 어요 아요 해요 에요 예요 세요 나요 까요 었어 았어 였어 했어 었습 았습 했습 었다 았다 했다 하는 하고 있어 있는 있습 없어 에서 에게 으로 까지 부터`.split(
    /\s+/,
  ),
);

/** Whether `unspacedTerms` splits a part of this script. */
export function isUnspaced(part: string): boolean {
  return ideographic.test(part) || hangul.test(part) || dictionary.test(part);
}

/** Yields the terms of one part with other forms of each, and undefined for insignificant ones. */
export function* unspacedTerms(part: string): Generator<readonly string[] | undefined> {
  if (hangul.test(part)) yield* koreanTerms(part);
  else if (ideographic.test(part)) yield* ideographicTerms(part);
  else for (const { segment, isWordLike } of wordsOf(part)) yield isWordLike ? [segment] : undefined;
}

/**
 * All pairs of characters, because a question may be segmented differently than a text; words of one character; and
 * whole words in katakana, which have few different characters.
 */
function* ideographicTerms(part: string): Generator<readonly string[] | undefined> {
  let before = '';
  for (const { segment } of wordsOf(part)) {
    const characters = [...segment];
    for (const character of characters)
      if (oneCharacterWords.has(character) || (characters.length === 1 && han.test(character)))
        yield chineseParticles.has(character) ? undefined : [character];
    if (characters.length > 2 && /^[\p{Script=Katakana}ー]+$/u.test(segment)) yield [segment];
    for (const character of characters) {
      if (before !== '') yield isWordPair(before, character) ? [before + character] : undefined;
      before = character;
    }
  }
  // A part of one other character
  if (before === part && !han.test(part)) yield hiragana.test(part) ? undefined : [part];
}

function isWordPair(first: string, second: string): boolean {
  const pair = first + second;
  if (chineseParticles.has(first) || chineseParticles.has(second)) return keptPairs.has(pair);
  const [one, other] = [hiragana.test(first), hiragana.test(second)];
  if (one && other) return !japaneseEndings.has(pair);
  return !(one && japaneseParticles.has(first)) && !(other && japaneseParticles.has(second));
}

/** Pairs of syllables of the word without its particle. The whole word is another form of the first pair. */
function* koreanTerms(word: string): Generator<readonly string[] | undefined> {
  const stem = withoutParticle(word);
  if (koreanStopWords.has(word) || koreanStopWords.has(stem)) {
    yield undefined;
    return;
  }
  if (stem.length <= 2) {
    yield stem === word ? [word] : [stem, word];
    return;
  }
  let others = stem === word ? [] : [word];
  for (let i = 0; i + 2 <= stem.length; i++) {
    const pair = stem.slice(i, i + 2);
    if (koreanEndings.has(pair)) yield undefined;
    else {
      yield [pair, ...others];
      others = [];
    }
  }
}

function withoutParticle(word: string): string {
  const particle = koreanParticles.find((each) => word.length > each.length && word.endsWith(each));
  return particle === undefined ? word : word.slice(0, -particle.length);
}
