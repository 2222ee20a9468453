import type { WorkTexts } from './en.ts';

export const workDe: WorkTexts = {
  'work.tabs': 'Erinnerungen',
  'work.list': 'Alle',
  'work.storing': '{done} von {total} gespeichert',
  'work.stored.one': '{count} Erinnerung gespeichert',
  'work.stored.other': '{count} Erinnerungen gespeichert',
  'work.known.one': '{count} davon war schon da: Derselbe Text wird einmal gespeichert.',
  'work.known.other': '{count} davon waren schon da: Derselbe Text wird einmal gespeichert.',
  'work.failed.one': '{count} ist fehlgeschlagen:',
  'work.failed.other': '{count} sind fehlgeschlagen:',
  'work.failed.more': '… und {count} weitere',
  'work.lost-job': 'Der Relayer weiß nicht mehr, ob sie gespeichert wurde. Versuchen Sie es erneut.',
  'work.show': 'Erinnerungen zeigen',
  'action.stop': 'Anhalten',

  'facts.title': 'Fakten aus einem Text',
  'facts.tab': 'Fakten',
  'facts.about': 'Fügen Sie ein Gespräch oder Notizen ein, und wählen Sie, was erinnert werden soll.',
  'facts.text': 'Text',
  'facts.placeholder': 'Ana: Ich bin im März nach Porto gezogen. …',
  'facts.hint': 'Gespeichert werden nur die Fakten, die Sie wählen, nicht der Text.',
  'facts.too-long': 'Der Text hat {size}, höchstens {most} sind möglich. Teilen Sie ihn.',
  'facts.find': 'Fakten suchen',
  'facts.busy': 'Fakten werden gesucht. Ein Modell liest einen langen Text eine Minute oder länger.',
  'facts.found.label': 'Gefundene Fakten',
  'facts.found.one': '{count} Fakt gefunden',
  'facts.found.other': '{count} Fakten gefunden',
  'facts.all': 'Alle auswählen',
  'facts.none-of-them': 'Keine auswählen',
  'facts.replaces': 'Ersetzt eine frühere Erinnerung',
  'facts.known.one': '{count} ausgelassen: schon vorhanden',
  'facts.known.other': '{count} ausgelassen: schon vorhanden',
  'facts.mock':
    'Es ist kein Chatmodell eingerichtet, deshalb teilen Regeln den Text in Sätze. Für bessere Fakten setzen Sie LLM_API_KEY dort, wo der Relayer läuft.',
  'facts.unavailable':
    'Ihre Erinnerungen waren gerade nicht lesbar. Einige Fakten könnten schon gespeichert sein.',
  'facts.other-namespace':
    'Die Fakten wurden mit den Erinnerungen in {namespace} verglichen. In einem anderen Namensraum wird jeder als neue Erinnerung gespeichert.',
  'facts.none': 'Kein Fakt gefunden',
  'facts.none.about':
    'Der Text enthält nichts Bleibendes. Versuchen Sie einen längeren, oder schreiben Sie selbst eine Erinnerung.',
  'facts.all-known': 'Alles schon vorhanden',
  'facts.all-known.about': 'Ihre Erinnerungen enthalten jeden Fakt dieses Textes.',
  'facts.again': 'Anderer Text',
  'facts.back': 'Zurück zum Text',
  'facts.save.one': '{count} Erinnerung speichern',
  'facts.save.other': '{count} Erinnerungen speichern',
  'facts.stopped':
    'Angehalten. Was der Relayer angenommen hat, wird trotzdem gespeichert. Erneutes Speichern legt nichts doppelt an.',

  'ask.title': 'Fragen',
  'ask.about': 'Antworten aus Ihren Erinnerungen, mit ihren Quellen.',
  'ask.question': 'Frage',
  'ask.hint': 'Was habe ich Dana versprochen?',
  'ask.ask': 'Fragen',
  'ask.empty.about': 'Speichern Sie zuerst etwas, dann können Sie danach fragen.',
  'ask.answer': 'Antwort',
  'ask.reading': 'Erinnerungen werden gelesen…',
  'ask.writing': 'Antwort wird geschrieben…',
  'ask.stopped': 'Angehalten. Das ist nicht die ganze Antwort.',
  'ask.incomplete': 'Die Antwort endete zu früh. Fragen Sie erneut.',
  'ask.unknown': 'Ihre Erinnerungen in diesem Namensraum enthalten die Antwort nicht.',
  'ask.mock':
    'Es ist kein Chatmodell eingerichtet, deshalb werden die passendsten Erinnerungen zitiert. Für Antworten setzen Sie LLM_API_KEY dort, wo der Relayer läuft.',
  'ask.sources': 'Aus diesen Erinnerungen',
  'ask.source': 'Erinnerung',

  'transfer.title': 'Export und Import',
  'transfer.tab': 'Export, Import',
  'transfer.about':
    'Nehmen Sie Ihre Erinnerungen mit, holen Sie andere herein, oder stellen Sie sie von der Chain wieder her.',
  'export.title': 'Export',
  'export.format': 'Format',
  'export.format.bundle': 'Verschlüsseltes Bündel',
  'export.about.bundle': 'Für ein anderes memrelay. Nur die Passphrase öffnet es.',
  'export.format.jsonl': 'JSON Lines',
  'export.about.jsonl': 'Lesbar, für andere Programme. Kann wieder importiert werden.',
  'export.format.md': 'Markdown',
  'export.about.md': 'Lesbar, für Menschen.',
  'export.namespace': 'Welche Erinnerungen',
  'export.passphrase': 'Passphrase',
  'export.passphrase.again': 'Passphrase wiederholen',
  'export.passphrase.short':
    'Die Passphrase braucht mindestens {count} Zeichen: Wer die Datei hat, kann beliebig viele ausprobieren.',
  'export.passphrase.differs': 'Die beiden Passphrasen sind verschieden.',
  'export.start': 'Exportieren',
  'export.busy': '{done} von {total} Erinnerungen',
  'export.stopped': 'Angehalten. Es wurde keine Datei gespeichert.',
  'export.done.one': '{count} Erinnerung exportiert',
  'export.done.other': '{count} Erinnerungen exportiert',
  'export.kept.bundle':
    'Wer die Datei und ihre Passphrase hat, kann sie lesen. Ohne die Passphrase kann es niemand, auch Sie nicht.',
  'export.kept.open': 'Die Datei ist nicht verschlüsselt: Wer sie öffnen kann, kann Ihre Erinnerungen lesen.',
  'export.again': '{name} noch einmal speichern ({size})',

  'import.title': 'Import',
  'import.about':
    'Bündel und Exporte von memrelay, Exporte von ChatGPT, Claude, mem0, Zep, Letta und Supermemory, Chats als JSON, Notizen in Markdown, ein Zip davon, und Text mit einer Erinnerung pro Zeile.',
  'import.file': 'Datei',
  'import.reading': 'Die Datei wird gelesen…',
  'import.open': 'Bündel öffnen',
  'import.bundle':
    'memrelay-Bündel, exportiert am {day}. Die Erinnerungen kommen in ihre Namensräume zurück.',
  'import.kind.text': 'Text oder Chatnachrichten',
  'import.kind.notes': 'Notizen',
  'import.would.one': '{count} Erinnerung würde importiert',
  'import.would.other': '{count} Erinnerungen würden importiert',
  'import.samples': 'Die ersten davon',
  'import.more': '… und {count} weitere',
  'import.refused.one': '{count} Eintrag kann nicht gespeichert werden:',
  'import.refused.other': '{count} Einträge können nicht gespeichert werden:',
  'import.nothing-yet': 'Noch ist nichts gespeichert.',
  'import.everyone': 'Auch importieren, was der Assistent gesagt hat',
  'import.own': 'Wie in der Datei',
  'import.start.one': '{count} Erinnerung importieren',
  'import.start.other': '{count} Erinnerungen importieren',
  'import.stopped':
    'Angehalten. {done} von {total} wurden angenommen und werden gespeichert. Importieren Sie erneut, um fortzufahren: Nichts wird doppelt gespeichert.',

  'restore.title': 'Von der Chain wiederherstellen',
  'restore.about':
    'Findet die verschlüsselten Blobs, die Ihrer Wallet gehören, und macht Erinnerungen wieder auffindbar, die dem Relayer fehlen. Was Sie vergessen haben, bleibt vergessen.',
  'restore.namespace': 'Namensraum',
  'restore.start': 'Wiederherstellen',
  'restore.looking': 'Ihre Blobs werden durchsucht…',
  'restore.busy': '{done} von {total} Erinnerungen',
  'restore.stopped': 'Angehalten. Was wiederhergestellt ist, bleibt. Starten Sie erneut, um fortzufahren.',
  'restore.done.one': '{count} Erinnerung wiederhergestellt',
  'restore.done.other': '{count} Erinnerungen wiederhergestellt',
  'restore.complete':
    'Es fehlte nichts: Der Relayer hat jede Erinnerung dieses Namensraums, die Ihrer Wallet gehört.',
  'restore.nothing': 'Ihrer Wallet gehört kein Blob dieses Namensraums. Prüfen Sie den Namen.',
  'restore.again': 'Sie sind wieder auffindbar.',
  'restore.unverified.one':
    '{count} wurde ausgelassen: Dieses Konto vertraut dem Schlüssel nicht, der sie signiert hat.',
  'restore.unverified.other':
    '{count} wurden ausgelassen: Dieses Konto vertraut den Schlüsseln nicht, die sie signiert haben.',

  'problem.wrong_passphrase':
    'Die Passphrase ist falsch, oder der Anfang des Bündels ist beschädigt. Geben Sie sie erneut ein.',
  'problem.bundle_cut_off':
    'Das Bündel ist unvollständig: Sein Export oder eine Kopie wurde unterbrochen. Es wurde nichts gespeichert. Exportieren Sie es erneut.',
  'problem.invalid_bundle':
    'Das Bündel ist beschädigt oder wurde verändert. Es wurde nichts gespeichert. Verwenden Sie eine andere Kopie.',
  'problem.unsupported_bundle': 'Das Bündel stammt von einer neueren Version. Aktualisieren Sie memrelay.',
  'problem.import_empty': 'In dieser Datei ist nichts, was sich erinnern ließe. Wählen Sie eine andere.',
  'problem.import_invalid_json':
    'Diese Datei ist kein gültiges JSON. Vielleicht ist sie abgeschnitten: Laden Sie sie erneut herunter.',
  'problem.import_invalid_zip': 'Dieses Zip ist beschädigt. Laden Sie es erneut herunter.',
  'problem.import_too_large':
    'Diese Datei ist zu groß für einen Browser. Verwenden Sie `npx memrelay import`.',
  'problem.import_not_text':
    'Diese Datei ist kein lesbarer Text. Wählen Sie JSON, Markdown, Text in UTF-8, ein Zip davon oder ein Bündel.',
  'problem.import_no_files':
    'Dieses Zip enthält keine Gespräche, kein anderes JSON und keine Notizen. Wählen Sie ein anderes.',
  'problem.import_no_messages':
    'Dieser Chat enthält keine Nachricht von Ihnen. Importieren Sie auch, was der Assistent gesagt hat, oder wählen Sie eine andere Datei.',

  'link.bad': 'Dieser Link ist unvollständig',
  'link.bad.reason': 'Er wurde abgeschnitten, oder er ist kein Anmeldelink.',
  'link.bad.next':
    'Kopieren Sie den ganzen Link, oder lassen Sie Ihr Tool die Anmeldung wiederholen, um einen neuen zu erhalten.',
  'link.expired': 'Dieser Link ist abgelaufen',
  'link.expired.reason': 'Ein Anmeldelink gilt fünf Minuten und nur einmal. Es wurde nichts geändert.',
  'link.expired.next':
    'Für einen neuen lassen Sie Ihr Tool die Anmeldung wiederholen, oder führen Sie {command} aus.',
  'link.refused.used': 'Dieser Anmeldelink wurde schon verwendet',
  'link.reason.used':
    'Er hat einen anderen Browser geöffnet. Hier wurde nichts geändert. Lassen Sie Ihr Tool die Anmeldung wiederholen, um einen neuen Link zu erhalten.',
  'link.refused.expired': 'Dieser Anmeldelink ist abgelaufen',
  'link.reason.expired': 'Lassen Sie Ihr Tool die Anmeldung wiederholen, um einen neuen Link zu erhalten.',
  'link.refused.foreign': 'Dieser Anmeldelink stammt nicht vom laufenden System',
  'link.reason.foreign':
    'memrelay wurde neu gestartet, nachdem der Link entstand, oder er gehört zu einem anderen Computer oder Datenverzeichnis. Lassen Sie Ihr Tool die Anmeldung wiederholen.',
  'link.refused.incomplete': 'Dieser Anmeldelink ist unvollständig',
  'link.reason.incomplete':
    'Kopieren Sie ihn ganz: Terminals brechen lange Zeilen um. Oder lassen Sie Ihr Tool die Anmeldung wiederholen.',
};
