import { stopWords as english } from './english.ts';

/** Languages whose words are stemmed. */
export type Language =
  | 'en'
  | 'es'
  | 'fr'
  | 'de'
  | 'pt'
  | 'it'
  | 'nl'
  | 'tr'
  | 'sv'
  | 'da'
  | 'no'
  | 'fi'
  | 'ru'
  | 'uk';

const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

/** Words in most sentences and questions of a language, which would match everything and identify the language. */
export const stopWordsOf: Record<Language, ReadonlySet<string>> = {
  en: english,
  de: words(`aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bist da dabei damit dann
    daran darauf daraus darin das dass dazu dein deine deinem deinen deiner dem den denn der des deshalb dessen dich die dies diese
    diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines einige er es etwas euch euer eure für gab
    gegen gehabt geht gewesen gibt habe haben habt hast hat hatte hatten hier hin ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im
    immer in ins ist ja jede jedem jeden jeder jedes kann kannst kein keine keinen können könnte man mehr mein meine meinem meinen
    meiner meines mich mir mit muss musste müssen nach nicht nichts noch nun nur ob oder ohne schon sehr sein seine seinem seinen
    seiner seines seit sich sie sind so sollte sondern sowie über um und uns unser unsere unserem unseren unter vom von vor wann
    war waren warst warum was weil welche welchem welchen welcher welches wem wen wenn wer werde werden wessen wie wieder wird wo
    woher wohin wurde wurden zu zum zur zwischen heißt viele viel gerne gern`),
  fr: words(`ai alors as au aucun aucune aussi autre aux avait avaient avant avec avez avoir avons ayant c ce ceci cela celle celles
    celui ces cet cette ceux chaque chez comme comment d dans de depuis des donc dont du elle elles en encore entre es est et étaient
    était été être eu eux fait il ils j je jusque l la là laquelle le lequel les lesquels leur leurs lui m ma mais même mes moi mon n
    ne ni non nos notre nous on ont ou où par parce pas pendant peu peut plus pour pourquoi près puis qu quand que quel quelle quelles
    quels qui quoi s sa sans se sera ses si son sont sous suis sur t ta te tes toi ton tous tout toute toutes très trop tu un une vers
    vos votre vous y combien lorsque aime`),
  es: words(`a al algo algún alguna algunos ante antes aquel aquella así aún aunque bien cada casi como cómo con cual cuál cuáles cuando
    cuándo cuánto cuántos de del desde donde dónde dos durante e el él ella ellas ellos en entre era eran eres es esa esas ese eso
    esos esta está estaba estamos están estar estas este esto estos estoy fue fueron fui ha había habían han hasta hay he hemos la las
    le les lo los más me mi mí mientras mis mucho muchos muy nada ni no nos nosotros nuestra nuestro o otra otras otro otros para pero
    poco por porque qué que quién quien quiénes se sea según ser si sí sido sin sobre son soy su sus también tan tanto te ti tiene
    todo todos tu tú tus un una unas uno unos usted ustedes y ya yo llama gusta`),
  pt: words(`a ao aos aquela aquele aquilo as às até cada com como da das de dela dele deles depois do dos e é ela elas ele eles em
    entre era eram essa essas esse esses esta está estamos estão estar estas estava este estes estou eu foi for foram fui há isso isto
    já lhe mais mas me mesmo meu meus minha minhas muito muitos na não nas nem no nos nós nossa nosso num numa o onde os ou para pela
    pelas pelo pelos perto por porque porquê quais qual quando quanto quantos que quê quem se sem ser seu seus só sobre sou sua suas
    são também te tem têm tenho ter teu tinha tu tua um uma umas uns você vocês chama gosta`),
  it: words(`a abbiamo ad agli ai al alla alle allo anche ancora avere aveva c che chi ci cioè col come con cosa cui d da dagli dai dal
    dalla dalle dallo degli dei del dell della delle dello di dove dopo due e è ed era erano essere fa fino fra gli ha hai hanno ho i
    il in io l la le lei li lo loro lui ma me mi mia mie miei mio molto ne negli nei nel nell nella nelle nello no noi non nostra
    nostro o ogni per perché però più poi prima qual quale quali quando quanti quanto quella quelle quelli quello questa queste questi
    questo qui sa se sei senza si sia siamo sono sopra sotto sta stato sto su sua sue sugli sui sul sull sulla suo suoi te ti tra tu
    tua tue tuo tutti tutto un una uno vi voi chiama piace`),
  nl: words(`aan af al alle alles als altijd bij ben bent daar dan dat de der deze die dit doen door dus een en er ge geen had hadden heb
    hebben hebt heeft hem het hier hij hoe hun iets ik in is ja je jij jou jouw jullie kan kon kunnen maar me meer men met mij mijn
    moet na naar niet niets nog nu of om omdat ons onze ook op over reeds te tegen toch toen tot u uit uw van veel voor waar waarom
    wanneer want waren was wat we wel welk welke werd wie wij wil word worden wordt zal ze zei zelf zich zij zijn zo zonder zou heet
    graag vaak`),
  tr: words(`acaba ama ancak bana bazı belki ben benden beni benim bir biri biz bize bizi bizim bu buna bunda bundan bunu bunun çok çünkü
    da daha de değil diye en gibi hangi hangisi hem hep hepsi her hiç için ile ise kaç kadar ki kim kime kimin mı mi mu mü nasıl ne
    neden nerede nereden nereye niçin niye o olan olarak oldu olduğu ona ondan onlar onların onu onun şey şu siz size sizin sen sana
    senin sonra tüm ve veya var vardır ya yani yok zaman idi olur`),
  sv: words(`alla allt alltså än är att av bara blev bli blir de dem den denna deras dess det detta dig din dina ditt du där då efter ej
    eller en er ert ett från för ha hade han hans har hela henne hennes hon honom hur här i icke ingen inget inte jag ju kan kunde
    man med mellan men mer mig min mina mitt mot mycket ni nu när någon något några och om oss på samma sedan sig sin sina sitt ska
    skulle som så till under upp ut utan vad var vara varför varit varje vart vem vems vi vid vilka vilken vilket vår våra åt över
    heter`),
  da: words(`ad af alle alt anden at blev blive bliver da de dem den denne der deres det dette dig din dine disse dit dog du efter eller
    en end er et for fra ham han hans har havde have hende hendes her hos hun hvad hvem hver hvilken hvilket hvis hvor hvordan hvorfor
    hvornår i ikke ind ingen jeg jer jo kan kunne man mange med meget men mig min mine mit mod ned noget nogle nogen nu når og også om
    op os over på selv sig sin sine sit skal skulle som sådan thi til ud under var vi vil ville vor være været hedder`),
  no: words(`alle at av bare ble bli blir da de deg dem den denne der dere deres det dette din disse ditt du eller en enn er et ett etter
    for fra før gjør ha hadde han hans har hennes her hos hun hva hvem hver hvilken hvilket hvis hvor hvordan hvorfor i ikke ingen inn
    jeg kan kom kunne man mange med meg meget mellom men mer min mine mitt mot mye må ned noe noen nå når og også om opp oss over på
    samme seg selv si sin sine sitt skal skulle slik som så til um under ut uten var ved vi vil ville vår være vært heter`),
  fi: words(`ei eivät emme en et ette että he heidän heitä hän häneltä hänen hänet häntä ja jo joka jonka jos jossa joten jotka kanssa keitä
    kenellä kenen kenet ketkä koska kuin kuinka kuka kun me meidän meillä mihin mikä mikään miksi milloin minkä minulla minun minut
    minua minä missä mistä mitkä mitä mukaan mutta myös ne niiden niin niitä noin nyt näin ole olen olet olette oli olimme olin olisi
    olivat olla ollut on ovat se sen siinä siitä sinulla sinun sinä sitä sille tai te teidän tuo tämä tämän tässä tätä vaan vai vain
    voi`),
  ru: words(`а без более бы был была были было быть в вам вас ваш во вот все всё всегда всего всех вы где да даже для до его ее её если
    есть еще ещё же за здесь зовут и из или им их к как какая какие какого какое какой какую когда кого кому который которая которые
    которое кто куда ли лишь меня мне много может мной мой моя моё моего моей мои моих мы на над надо нам нас наш наша не него нее неё
    нет ни них но ну о об он она они оно от откуда очень по под пожалуйста после потом потому почему при про раз с сам свой своего
    своей свою себе себя сейчас сколько со так также такой там тебе тебя тем теперь то тобой того тоже той только том тот ты у уже
    чего чей чем через что чтобы чье чья эта эти это этого этой этом этот я`),
  uk: words(`а але без би був була були було бути в вам вас ваш вже ви вони вона воно все всі де для до його її з за здається і із й як яка
    яке який які якщо коли кого кому куди мене мені ми мій моя моє на навіть над нам нас наш не немає ні ну о від він де про при
    після по під та так також там те тебе ти тільки того той у хто це цей ця ці чи чому що щоб я є`),
};
