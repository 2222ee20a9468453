import type { Language } from './stop-words.ts';

/** Forms that no rule of the stemmer connects: each entry is the base form followed by its other forms. */
const lists: Partial<Record<Language, string>> = {
  de: `beginnen begann begonnen|beißen biss gebissen|bekommen bekam|bewerben bewarb beworben|biegen bog gebogen|bieten bot geboten
    binden band gebunden|bitten bat gebeten|bleiben blieb geblieben|brechen brach gebrochen bricht|brennen brannte gebrannt
    bringen brachte gebracht|denken dachte gedacht|empfehlen empfahl empfohlen empfiehlt|essen aß gegessen isst
    fahren fuhr gefahren fährt fährst|fallen fiel gefallen fällt|fangen fing gefangen fängt|finden fand gefunden fanden
    fliegen flog geflogen|frieren fror gefroren|geben gegeben gib|gefallen gefiel gefällt|gehen ging gegangen gingen
    gewinnen gewann gewonnen|gießen goss gegossen|halten hielt gehalten hält|hängen hing gehangen|heben hob gehoben
    helfen half geholfen hilft|kennen kannte gekannt|kommen kam gekommen kamen|laden lud geladen|lassen ließ gelassen lässt
    laufen lief gelaufen läuft liefen|leiden litt gelitten|leihen lieh geliehen|lesen las gelesen liest|liegen lag gelegen lagen
    lügen log gelogen|nehmen nahm genommen nimmt nahmen|nennen nannte genannt|raten riet geraten|reiten ritt geritten
    rennen rannte gerannt|riechen roch gerochen|rufen rief gerufen|scheinen schien geschienen|schlafen schlief geschlafen schläft
    schlagen schlug geschlagen|schließen schloss geschlossen|schneiden schnitt geschnitten|schreiben schrieb geschrieben
    schreien schrie|schwimmen schwamm geschwommen|sehen sah gesehen sieht sahen|singen sang gesungen|sinken sank gesunken
    sitzen saß gesessen saßen|sprechen sprach gesprochen spricht|springen sprang gesprungen|stehen stand gestanden standen
    stehlen stahl gestohlen|steigen stieg gestiegen|sterben starb gestorben stirbt|streiten stritt gestritten
    tragen trug getragen trägt|treffen traf getroffen trifft|treiben trieb getrieben|treten trat getreten tritt
    trinken trank getrunken tranken|tun tat getan|vergessen vergaß vergisst|verlieren verlor verloren|versprechen versprach versprochen
    verstehen verstand verstanden|wachsen wuchs gewachsen wächst|waschen wusch gewaschen wäscht|werfen warf geworfen wirft
    wissen wusste gewusst weiß|ziehen zog gezogen zogen|wohnen gewohnt|arbeiten gearbeitet|kaufen gekauft|lernen gelernt
    machen gemacht|spielen gespielt|kochen gekocht|heiraten geheiratet|reisen gereist|lieben geliebt|bauen gebaut
    january januar jänner|february februar feber|march märz|may mai|june juni|july juli|october oktober|december dezember`,
  es: `tener tengo tuve tuvo tuvimos tuvieron tendrá tenía|hacer hago hice hizo hicimos hicieron haré hará hecho|ir voy va vamos van iba
    decir digo dije dijo dijeron dice dicen dirá dicho|poner pongo puse puso pusieron puesto pondrá|venir vengo vine vino vinieron vendrá
    querer quise quiso quisieron|poder pude pudo pudieron podrá|saber sé supe supo supieron|traer traigo traje trajo trajeron
    ver veo vi vio vieron visto|dar doy dio dieron|conducir conduje condujo conduzco|escribir escrito|abrir abierto|romper roto
    morir murió murieron muerto muere|volver vuelto|salir salgo saldrá|dormir durmió durmieron|pedir pidió pidieron pide piden
    servir sirvió sirve|seguir siguió sigue|elegir eligió elige|vestir vistió viste|sentir sintió sintieron|preferir prefirió
    january enero|february febrero|march marzo|april abril|may mayo|june junio|july julio|august agosto|september septiembre setiembre
    october octubre|november noviembre|december diciembre`,
  fr: `aller vais vas va vont ira irai allé|faire fais font faisait fera faite faites|dire dis disent disait dit|voir vois voit voient vu vue
    savoir sais sait savent su|pouvoir peux peuvent pouvait pu|vouloir veux veut veulent voulait voulu|devoir dois doit doivent dû
    venir viens vient viennent venu venue venait|tenir tiens tient tiennent tenu|prendre prends prend prennent pris prise prenait
    apprendre apprends apprend apprennent appris|comprendre comprends comprend comprennent compris|mettre mets met mis mise
    boire bois boit boivent bu buvait buvons|lire lit lisent lu lue lisait|écrire écris écrit écrivent écrivait|vivre vit vivent vécu vivait
    connaître connais connaît connaissent connu|recevoir reçois reçoit reçu reçue|croire crois croit croient cru|courir cours court courent couru
    mourir meurt meurent mort morte|naître né née naquit|ouvrir ouvre ouvert|offrir offre offert|partir pars part partent parti
    sortir sors sort sortent sorti|dormir dors dort dorment dormi|conduire conduit conduis|acheter achète achètent|appeler appelle appellent
    œil yeux|january janvier|february février|march mars|april avril|may mai|june juin|july juillet|august août|september septembre
    october octobre|november novembre|december décembre`,
  it: `andare vado vai va vanno andato|fare faccio fai fanno faceva fatto|dire dico dici dice dicono detto disse|bere bevo beve bevono bevuto
    venire vengo vieni viene vengono venuto venne|tenere tengo tiene|potere posso può possono|volere voglio vuole vogliono
    dovere devo deve devono|sapere so sai sanno seppe|uscire esco esce escono|vedere visto vide|leggere letto lesse|scrivere scritto scrisse
    prendere preso prese|mettere messo mise|vivere vissuto visse|nascere nato nata nacque|morire morto morta muore|perdere perso
    correre corso|chiedere chiesto|aprire aperto|scegliere scelto|vincere vinto|rompere rotto|rimanere rimasto|bue buoi|uovo uova
    uomo uomini|january gennaio|february febbraio|march marzo|april aprile|may maggio|june giugno|july luglio|august agosto
    september settembre|october ottobre|november novembre|december dicembre`,
  pt: `fazer faço faz fazem fez fiz fizeram feito|ir vou vai vamos vão ia|dizer digo diz dizem disse disseram dito|trazer trago traz trouxe
    ver vejo vê viu vi viram visto|vir venho vem vêm veio vieram|poder posso pode pôde puderam|querer quero quer quis quiseram
    saber sei sabe soube|pôr ponho põe pôs posto|dar dou dá deu deram|ler leio lê leu|escrever escrito|abrir aberto|dormir durmo
    january janeiro|february fevereiro|march março|april abril|may maio|june junho|july julho|august agosto|september setembro
    october outubro|november novembro|december dezembro`,
  nl: `gaan ging gingen gegaan|komen kwam kwamen gekomen|eten at aten gegeten|drinken dronk gedronken|lopen liep liepen gelopen
    lezen las lazen gelezen|schrijven schreef geschreven|kopen kocht kochten gekocht|brengen bracht gebracht|denken dacht gedacht
    zien zag zagen gezien|nemen nam namen genomen|geven gaf gaven gegeven|vinden vond gevonden|krijgen kreeg gekregen
    blijven bleef gebleven|rijden reed reden gereden|spreken sprak gesproken|staan stond gestaan|zitten zat gezeten|slapen sliep geslapen
    vergeten vergat|verliezen verloor verloren|beginnen begon begonnen|zwemmen zwom gezwommen|vliegen vloog gevlogen
    wonen woont woonde woonden gewoond|werken werkt werkte gewerkt|spelen speelt speelde gespeeld|leren leert leerde geleerd|stad steden|kind kinderen|ei eieren
    january januari|february februari|march maart|may mei|june juni|july juli|august augustus|october oktober`,
  sv: `gå gick gått går|komma kom kommit kommer|äta åt ätit äter|dricka drack druckit dricker|läsa läst|skriva skrev skrivit
    se såg sett|ta tog tagit|ge gav gett|finna fann funnit|springa sprang sprungit|sova sov sovit|köpa köpte köpt|sälja sålde sålt
    bo bor bodde bott|bok böcker boken|man män|fot fötter|hand händer|son söner|bror bröder|stad städer|natt nätter
    january januari|february februari|march mars|may maj|june juni|july juli|august augusti|october oktober`,
  da: `gå gik gået går|komme kom kommet kommer|spise spist|drikke drak drukket|skrive skrev skrevet|se så set|tage tog taget|give gav givet
    finde fandt fundet|løbe løb løbet|sove sov sovet|købe købte købt|sælge solgte solgt|bo bor boede boet|bog bøger bogen|barn børn børnene
    mand mænd|fod fødder|hånd hænder|bror brødre|by byer|january januar|february februar|march marts|may maj|june juni|july juli|october oktober`,
  no: `gå gikk gått går|komme kom kommet kommer|spise spist|drikke drakk drukket|skrive skrev skrevet|se så sett|ta tok tatt|gi ga gitt
    finne fant funnet|løpe løp løpt|sove sov sovet|kjøpe kjøpte kjøpt|selge solgte solgt|bo bor bodde bodd|bok bøker boken|barn barna
    mann menn|fot føtter|hånd hender|bror brødre|january januar|february februar|march mars|may mai|june juni|july juli|october oktober|december desember`,
  ru: `идти иду идет идёт шел шёл шла шли пошел пошла|ехать еду едет едут|есть ем ест едят ел ела|пить пью пьет пьёт пьют|жить живу живет живёт живут жил жила жили
    человек люди людей людям|ребенок ребёнок ребенка дети детей детям|друг друзья друзей друзьями|брат братья братьев|сын сыновья сыновей
    дочь дочери дочерью|мать матери|мочь могу может могут мог|хотеть хочу хочет хотят|купить куплю купит|любить люблю любит любят
    писать пишу пишет пишут|january январь января январе|february февраль февраля феврале|march март марта марте|april апрель апреля апреле
    may май мая мае|june июнь июня июне|july июль июля июле|august август августа августе|september сентябрь сентября сентябре
    october октябрь октября октябре|november ноябрь ноября ноябре|december декабрь декабря декабре`,
  tr: `gitmek gider gidiyor|yemek yiyor yer|demek diyor|january ocak|february şubat|march mart|april nisan|may mayıs|june haziran|july temmuz
    august ağustos|september eylül|october ekim|november kasım|december aralık`,
};

/** The base form of an irregular form, by language. */
export const irregularForms: ReadonlyMap<Language, ReadonlyMap<string, string>> = new Map(
  Object.entries(lists).map(([language, list]) => [
    language as Language,
    new Map(
      list
        .split(/[|\n]/)
        .map((line) => line.trim().split(/\s+/))
        .flatMap(([base, ...forms]) => forms.map((form) => [form, base!] as const)),
    ),
  ]),
);
