import type { ConnectTexts } from './en.ts';

export const connectDe: ConnectTexts = {
  'nav.connect': 'Verbinden',
  'connect.title': 'Einen Agenten oder ein Programm verbinden',
  'connect.about':
    'Alles hier gilt für Ihr Konto und Ihren Relayer. Kopieren Sie es, und beobachten Sie die Prüfung unten.',
  'connect.check.waiting': 'Wartet auf eine Anmeldung oder eine neue Erinnerung…',
  'connect.check.waiting.about':
    'Bitten Sie Ihren Agenten, sich etwas zu merken, oder starten Sie Ihr Programm. Bloßes Lesen erscheint hier nicht.',
  'connect.check.key': 'Verbunden: {name} hat sich angemeldet',
  'connect.check.memory': 'Verbunden: eine neue Erinnerung in {namespace}',
  'connect.check.done.about': 'Eingetroffen {time}.',
  'connect.agent': 'Ein Agent',
  'connect.agent.host': 'Programm des Agenten',
  'connect.agent.install': 'Dieser Befehl schreibt die Konfiguration und fragt vorher nach:',
  'connect.agent.file': 'Oder fügen Sie dies selbst in {file} ein:',
  'connect.agent.remote':
    'Oder über HTTP, ohne Prozess auf Ihrem Computer. Das Programm meldet sich in Ihrem Browser an:',
  'connect.agent.docs': 'Über Tool-Server in {host}',
  'connect.program': 'Ein Programm',
  'connect.program.language': 'Programmiersprache',
  'connect.program.key':
    'Erzeugen Sie zuerst einen Schlüssel dafür. Die Datei enthält delegatePrivateKey. Er ist geheim: Übergeben Sie ihn in MEM_DELEGATE_KEY.',
};
