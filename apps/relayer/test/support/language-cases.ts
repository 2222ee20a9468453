/** Cases of languages.test.ts. Each line is a question, the memory that must come first, and other memories. */
export const languageCases: Record<string, string> = {
  'German umlauts': `
    Wo wohnt Frau Müller? | Frau Mueller wohnt in der Lindenstraße | Herr Schmidt wohnt in der Gartenstraße | Frau Möbius mag Katzen
    Wo wohnt Frau Mueller? | Frau Müller zog nach Kiel | Frau Möller zog nach Köln | Herr Maler malt
    Wann war ich in Koeln? | Im Herbst war ich drei Tage in Köln | Im Herbst war ich drei Tage in Bonn | Der Zug nach Kiel fiel aus
    Welche Größe habe ich bei Schuhen? | Meine Schuhgroesse: Groesse 43 | Mein Hemd ist blau | Die Hose ist zu lang
    Strasse der Werkstatt | Die Werkstatt liegt an der Großen Straße 5 | Der Bäcker liegt am Markt | Die Schule beginnt um acht
    Was esse ich zum Fruhstuck? | Zum Frühstück gibt es Haferflocken | Zum Abendbrot gibt es Suppe | Mittags esse ich in der Kantine`,
  'German plurals and verb forms': `
    Wie viele Häuser hat Onkel Karl? | Onkel Karl besitzt ein Haus am See | Onkel Karl fährt einen Traktor | Tante Erna hat ein Boot
    Welches Buch liest Jonas? | Jonas hat die Bücher von Lindgren gelesen | Jonas spielt Tennis | Petra hört Musik
    Wer hat Äpfel mitgebracht? | Der Apfel von Lena war sauer | Der Kuchen von Lena war süß | Die Birne lag im Korb
    Was trank Papa gestern? | Papa trinkt abends gern Kamillentee | Papa schläft abends lang | Mama liest abends Zeitung
    Wohin ist Lukas gefahren? | Lukas fährt jeden Sommer an die Ostsee | Lukas kocht jeden Sommer Marmelade | Maria bleibt daheim
    Bei welchem Arzt war ich? | Die Ärzte im Marienhospital sind freundlich | Die Lehrer im Gymnasium sind streng | Die Post ist zu`,
  'German compounds': `
    Wann ist die Feier? | Die Geburtstagsfeier beginnt um 18 Uhr | Die Vorlesung beginnt um 9 Uhr | Der Kurs dauert zwei Stunden
    Was kostet die Versicherung? | Für die Haftpflichtversicherung zahle ich 60 Euro | Für das Fahrrad zahlte ich 600 Euro | Der Bus kostet drei Euro
    Wo ist der Schlüssel? | Der Kellerschlüssel hängt neben der Tür | Der Regenschirm hängt im Flur | Die Jacke liegt auf dem Stuhl
    Wie heißt der Arzt? | Mein Zahnarzt heißt Doktor Brandt | Mein Nachbar heißt Herr Lutz | Mein Hund heißt Bello
    Welche Haustierfutter Marke? | Das Futter bestelle ich bei Zoolino | Die Bücher bestelle ich im Laden | Den Käse kaufe ich am Markt`,
  'Japanese and Chinese': `
    好きな寿司は何ですか | 寿司はサーモンが一番好きです | 毎朝コーヒーを飲みます | 週末は山に登ります
    猫の名前は何ですか | うちの猫はミケという名前です | 弟は大阪で働いています | 駅前に新しいパン屋ができた
    コーヒーに砂糖を入れますか | コーヒーはブラックで飲みます | 紅茶にはミルクを入れます | コートを買いました
    どこで働いていますか | 妹は横浜の病院で働いている | 妹は横浜の海が好きだ | 父は釣りに行った
    りんごは好き? | 祖母からりんごが届いた | 祖母から手紙が届いた | 電車が遅れた
    我的猫叫什么名字 | 我养了一只猫，名叫小白 | 我养了一盆花，放在阳台 | 他昨天去了上海
    图书馆几点关门 | 市图书馆晚上九点关门 | 超市早上八点开门 | 公园里有很多花
    妈妈的生日是哪天 | 妈妈生日在五月十二日 | 爸爸在银行工作 | 妈妈喜欢跳舞
    我对什么过敏 | 医生说我对花生过敏 | 医生说我血压正常 | 我喜欢吃花菜
    请问一下我上次在北京出差的时候住的那家离会议中心不远而且早餐很好吃的酒店叫什么名字 | 北京出差住的酒店是和平宾馆 | 上海出差坐的是高铁 | 会议中心换了新的椅子 | 早餐我一般吃面包`,
  'Korean particles': `
    서울 | 지난주에 서울에서 친구를 만났어요 | 지난주에 부산에서 바다를 봤어요 | 어제는 비가 왔어요
    강아지는 몇 살이에요? | 우리 강아지가 세 살이 됐다 | 우리 고양이가 집을 나갔다 | 동생은 학생이다
    학교까지 어떻게 가요? | 학교는 버스로 가는 게 빠르다 | 병원은 걸어서 가는 게 편하다 | 은행은 문을 닫았다
    책을 빌린 사람이 누구예요? | 민수가 내 책을 빌려 갔다 | 민수가 내 우산을 잃어버렸다 | 지은은 노래를 잘한다
    회사에서 점심 | 회사의 점심은 열두 시부터 | 회의는 세 시부터 | 저녁은 집에서`,
  'Spanish, Italian and Portuguese forms': `
    ¿Dónde trabaja Lucía? | Lucía trabajó diez años en un hospital | Lucía nadó diez años en el mar | Pedro cocina bien
    ¿Qué hizo Marta ayer? | Marta hace cerámica los lunes | Marta compra pan los lunes | Juan duerme mucho
    ¿A qué hora duerme el niño? | Los niños durmieron a las nueve | Los perros comieron a las ocho | La tienda cierra tarde
    habitacion reservada | La habitación está reservada para dos noches | La mesa está limpia | El coche está en el taller
    ¿Qué quiere estudiar Inés? | Inés quería ser arquitecta, quiso estudiar en Sevilla | Inés tenía un gato, vivía en Lugo | Raúl vende pisos
    ¿Cuántas luces tiene la sala? | La luz de la sala no funciona | La puerta de la cocina no cierra | El jardín es pequeño
    Dove abita la nonna? | Le nonne abitano a Torino | Le zie lavorano a Milano | Il gatto dorme sempre
    Che cosa ha mangiato Paolo? | Paolo mangia spesso le lasagne | Paolo legge spesso il giornale | Anna corre ogni mattina
    Onde o João trabalhava? | João trabalha numa padaria do Porto | João nada numa piscina do clube | A Rita canta bem
    quais livros comprei? | Comprou um livro de receitas na feira | Vendeu um carro velho na feira | Perdeu as chaves
    reunioes de segunda | A reunião fica na sala três | A impressora fica na sala dois | O café fica na copa`,
  'French and Dutch forms': `
    Quels chevaux monte Claire ? | Le cheval de Claire s'appelle Éclair | Le vélo de Claire est rouge | Paul joue du piano
    Que mange Hugo le matin ? | Hugo mangeait des tartines le matin | Hugo courait au parc le matin | Léa dort tard
    eleves de la classe de Luc | L'élève le plus âgé de Luc est Théo | Le voisin le plus âgé de Luc est Marc | La maison est grande
    Où est l'hôtel ? | Notre hotel se trouve près de la gare | Notre voiture se trouve au garage | Le train part à midi
    Qu’a bu Sophie ? | Sophie boit du thé vert | Sophie porte un manteau vert | Julien dessine
    Waar woont opa? | Opa heeft altijd in Utrecht gewoond | Opa heeft altijd in de tuin gewerkt | Tante zingt graag
    Welke boeken las Sanne? | Het boek dat Sanne leest is dik | De fiets die Sanne kocht is rood | Jan slaapt
    Wanneer zijn de huizen gebouwd? | Het huis werd in 1930 gebouwd | De brug werd in 1950 gesloopt | De kat is ziek`,
  'Russian and Turkish forms': `
    Как зовут собаку Ольги? | Собака Ольги — рыжий спаниель | Сестра Ольги — опытный врач | Иван играет в шахматы
    Какие книги читал Павел? | Павел прочитал книгу Чехова | Павел построил лодку | Вера любит чай
    Где живёт бабушка? | Бабушка жила в Твери | Бабушка пела в хоре | Дедушка ловит рыбу
    Кто любит яблоки и мед? | Мёд и яблоко — любимый завтрак Тани | Кофе и хлеб — обычный завтрак Коли | Дождь шёл весь день
    Когда приедут друзья? | Мой друг приедет в пятницу | Мой поезд опоздал на час | Магазин закрыт
    Annemin evi nerede? | Annem İzmir’de bir ev aldı | Babam Bursa’da bir araba sattı | Kardeşim okula gidiyor
    Kitaplarım kimde? | Kitabı Ayşe ödünç aldı | Bisikleti Mehmet ödünç aldı | Hava güzel
    Köpeklerin adı ne? | Köpeğimizin adı Karabaş | Komşumuzun işi marangozluk | Çay soğudu`,
  'Nordic and Finnish forms': `
    Var är hundarna? | Hunden sover i köket | Bilen står i garaget | Mormor bakar
    Hvor er bøgerne? | Bogen ligger på bordet | Koppen står på hylden | Peter sover
    Hvor mange barn har Kari? | Barna til Kari går i barnehage | Bilen til Kari er på verksted | Ola fisker
    Missä talot ovat? | Talo sijaitsee järven rannalla | Auto seisoo pihalla | Koira nukkuu
    Aarhus | Mødet er i Århus | Mødet er i Odense | Toget er forsinket`,
  'numbers and phone numbers': `
    0170 1234567 | Tel. Max: +49 170 123 45 67 | Tel. Eva: +49 170 765 43 21 | Zimmer 170
    whose number is (555) 010-4477 | Dana 555-010-4477 | Robin 555-010-7744 | Order 4477
    +33612345678 | Le portable de Chloé est le 06 12 34 56 78 | Le portable de Marc est le 06 87 65 43 21 | Code 3361
    what cost 1250 dollars? | The sofa was 1,250 dollars | The lamp was 125 dollars | The rug was 2,150 dollars
    room 204 | The meeting is in room 204 | The meeting is in room 402 | Lunch is at noon`,
  emoji: `
    🎸 | Band practice on Thursday 🎸 | Swimming on Thursday 🏊 | Movie night 🍿
    👍 | The contractor agreed 👍🏽 | The contractor refused 👎🏽 | Waiting for news
    🇵🇹 | Holiday plans 🇵🇹 in June | Holiday plans 🇬🇷 in July | Passport renewal
    ❤️ | Present from Sam ❤ | Present from Kim ⭐ | Groceries`,
  typos: `
    When is my dentist apointment? | The appointment is on Monday at nine | The concert is on Sunday at eight | The museum is closed
    Where did I park the motorcylce? | Motorcycle stands behind the library | Bicycle stands behind the bakery | The bus is late
    recipe for lassagna | Grandma’s lasagna needs three hours | Grandma’s garden needs water | Pancakes for breakfast
    Wie lautet das Passwrot? | Das Passwort vom Router klebt unten | Das Kabel vom Drucker fehlt | Der Bildschirm flackert
    ¿Cuándo es mi cumpleanios? | El cumpleaños de Nuria es en abril | El examen de Nuria es en junio | La piscina abre tarde
    Когда день рождениа? | День рождения Кати пятого мая | Ночь в поезде прошла тихо | Дом стоит у реки
    who fixed the refrigirator | Refrigerator repaired by Tom | Roof repaired by Anna | Fence painted by Lee`,
  'British and American spelling': `
    What colour is the door? | The door color is teal | The door handle is loose | The window is dirty
    Who organized the party? | Priya organises every party | Priya skips every party | Omar sings
    Where is the theater? | The theatre is next to the station | The bakery is next to the station | The river floods
    Who traveled to Peru? | Nora travelled through Peru | Nora read about Peru | Ben stayed home
    my favorite jewelry | Favourite jewellery: the silver ring | Favourite soup: the tomato one | Shoes need repair
    gray tire | The grey tyre is flat | The red door is open | The old chair broke
    apologise to whom | I must apologize to Mira | I must write to Felix | Call the bank
    neighbor behavior | Strange behaviour of the neighbours at night | Strange noises in the engine | Quiet evening`,
  'identifiers, paths and dates': `
    getUserProfile | The bug is in get_user_profile | The bug is in the login form | Deploy on Friday
    which file has the retry logic | src/net/retry.ts has the backoff | src/ui/button.tsx has the styles | README is outdated
    KX-2041 | Invoice KX-2041 is unpaid | Invoice KX-2014 is paid | Receipt 20
    2023-05-07 | Der Vertrag beginnt am 7.5.2023 | Der Vertrag endet am 5.7.2024 | Kündigung schriftlich
    Was war im Mai 2023? | Umzug: 2023-05-20 | Umbau: 2022-11-20 | Urlaub geplant
    ¿Qué pasó en enero? | Accident on 2024-01-15 | Wedding on 2024-06-15 | Nothing else
    version 2.4 | Release v2.4.1 fixed the leak | Release v3.1.0 added themes | Tests are slow
    docs.example.org | Manual: https://docs.example.org/start | Shop: https://shop.example.com | No link`,
};
