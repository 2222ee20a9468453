import { textSegments } from '@memrelay/text-index/base/text-segments';
import { isStopWord, languagesOf } from '@memrelay/text-index/language/languages';

const wordsOf = textSegments('word');

/** Words of greetings, thanks and assent: a sentence with only such words contains no statement. */
const courtesies = new Set(
  `absolutely afternoon alright amazing awesome bye cheers congrats congratulations cool course day definitely evening exactly fine
  glad goodbye good great haha hahaha hello hey hi hmm hooray lol luck luckily maybe morning much nah nice night nope ooh oops please
  pleasure really right see seriously sorry sounds sure thank thanks true uh um welcome wow yay yep yup okay indeed later soon problem worries idea know
  i'm it's that's you're what's how's don't i'll let's there's
  ja nein danke vielen dank bitte hallo guten guter tag abend gute nacht tschüss morgen genau gern gerne super toll stimmt schön sehr klar
  sí si no gracias muchas hola buenos buenas días dias tardes noches claro vale adiós adios por favor de nada bien muy
  oui non merci beaucoup bonjour bonsoir salut d'accord bien sûr au revoir très plaît s'il vous
  grazie mille prego ciao buongiorno buonasera certo va bene sì obrigado obrigada muito olá sim não tchau bom boa dia noite
  да нет спасибо большое пожалуйста привет пока здравствуйте хорошо ладно конечно ага добрый день вечер утро доброе
  谢谢 你 不客气 你好 好 的 是 不 不是 嗯 再见 好的 是的 对 はい いいえ ありがとう ご ざ い ます こんにちは うん ええ そうですね そう です さようなら
  네 아니요 감사합니다 안녕하세요 고마워요`.split(/\s+/),
);

/**
 * Classifies a sentence. `courtesy`: greetings, thanks and the like. `fragment`: a single word, which has a meaning
 * only in its context. `statement`: everything else.
 */
export function weigh(sentence: string): 'courtesy' | 'fragment' | 'statement' {
  const found: string[] = [];
  for (const { segment, isWordLike } of wordsOf(sentence.toLowerCase().replace(/[’ʼ]/gu, "'")))
    if (isWordLike) found.push(segment);
  const { latin, cyrillic } = languagesOf(sentence);
  const isInsignificant = (word: string): boolean =>
    courtesies.has(word) || isStopWord(word, latin) || isStopWord(word, cyrillic);
  if (found.every(isInsignificant)) return 'courtesy';
  return found.length === 1 ? 'fragment' : 'statement';
}
