import type { Translation } from '../translation.ts'

export const accounts: Translation<'accounts'> = {
  title: 'Konten',
  add: 'Konto hinzufügen',
  byBank: 'Bank verbinden (Plaid)',
  byFeed: 'Über einen eigenen Feed',
  none: 'Noch kein Konto vorhanden. Alle anderen Seiten beginnen mit einem: Füge es hier hinzu.',
  balance: 'Verfügbar',
  posted: 'Gebucht',
  owed: 'Geschuldet',
  inCredit: 'Guthaben',
  side: 'Geschuldet oder Guthaben?',
  sides: { owed: 'Ich schulde der Bank Geld', inCredit: 'Die Bank schuldet mir Geld' },
  edit: 'Bearbeiten',
  editOf: '„{name}“ bearbeiten',
  editLink: 'Bank bearbeiten',
  editLinkOf: 'Bank bearbeiten: {name}',
  postedBalance: 'Gebuchter Kontostand',
  balanceHint: 'So, wie ihn die Bank angibt, ohne vorgemerkte Zahlungen.',
  owedHint: 'So, wie es die Bank angibt, ohne vorgemerkte Zahlungen und ohne Vorzeichen.',
  limit: 'Kreditrahmen',
  mask: 'Letzte vier Ziffern der Nummer',
  maskHint:
    'Daran erkennt ein Import, ob eine Datei zu einem anderen Konto gehört. Darf leer bleiben.',
  amountFault: 'Gib einen Betrag ein, etwa {example}.',
  name: 'Name',
  note: 'Notiz',
  save: 'Speichern',
  required: 'Fülle das aus.',
  archive: 'Archivieren',
  archiveOf: '„{name}“ archivieren',
  archiveTitle: '„{name}“ archivieren?',
  archiveText:
    'Das Konto wird nicht mehr angezeigt, seine Pläne ruhen, und es bekommt keine neuen Buchungen. Alles darin bleibt gespeichert, und du kannst es hier zurückholen.',
  archived: 'Archiviert ({count})',
  restore: 'Zurückholen',
  restoreOf: '„{name}“ zurückholen',
  restored: '„{name}“ ist mit allem Inhalt zurück.',
  remove: 'Verbindung löschen',
  removeByHand: 'Bank und ihre Konten löschen',
  removeTitle: '„{name}“ löschen?',
  removeText:
    '{accounts} {count, plural, one {wird} other {werden}} endgültig gelöscht, mit allen Buchungen, Umschlägen, Zahltagen und importierten Dateien. Das lässt sich nicht rückgängig machen. Willst du ein Konto nur nicht mehr nutzen und seinen Inhalt behalten, archiviere es.',
  removeAtBank: 'Bei der Bank ändert sich nichts.',
  removeEmpty: 'Sie hat keine Konten.',
  sync: 'Jetzt abgleichen',
  syncing: 'Die Buchungen werden gelesen.',
  arrived:
    '{count, plural, =0 {Abgeglichen: nichts Neues.} one {Abgeglichen: eine neue Buchung.} other {Abgeglichen: # neue Buchungen.}}',
  linkFaults: {
    'login-required':
      'Deine Bank verlangt, dass du dich neu anmeldest. Bis dahin kommt nichts Neues an.',
    revoked: 'Der Zugang zu deiner Bank ist beendet. Alles bisher Gelesene bleibt.',
    'item-gone': 'Der Zugang zu deiner Bank ist beendet. Alles bisher Gelesene bleibt.',
    'institution-down': 'Deine Bank antwortet zurzeit nicht. Es wird von selbst wieder versucht.',
    'no-answer': 'Der Anbieter hat nicht geantwortet. Es wird von selbst wieder versucht.',
    upstream: 'Der Anbieter hat mit einem Fehler geantwortet. Es wird von selbst wieder versucht.',
    unreadable: 'Die Antwort des Anbieters war nicht lesbar.',
    refused: 'Der Anbieter hat die Anfrage abgelehnt: Frag die Person, die den Server betreibt.',
    'keys-refused':
      'Der Anbieter hat die Schlüssel des Servers abgelehnt: Frag die Person, die ihn betreibt.',
    'key-refused':
      'Der Anbieter hat den API-Schlüssel abgelehnt: Prüfe dort, ob er gilt und die Konten sehen darf.',
    'rate-limited':
      'Der Anbieter erlaubt zurzeit keine weiteren Anfragen. Es wird von selbst wieder versucht.',
    'too-large': 'Der Anbieter hat mehr Daten geschickt, als auf einmal gelesen werden können.',
    unsupported: 'Diese Bank wird nicht mehr unterstützt: Verbinde sie neu.',
    'no-transactions': 'Die Bank gibt keine Buchungen heraus: Nur Kontostände werden abgeglichen.',
    'not-ready': 'Die Buchungen sind noch nicht da. Sie kommen von selbst.',
    'account-missing':
      'Der Anbieter nennt das Konto nicht mehr: Erneuere dort die Verbindung, oder archiviere das Konto.',
    disconnected: 'Der Anbieter hat keine Verbindung mehr zur Bank: Erneuere sie dort.',
    currency:
      'Der Anbieter nennt den Kontostand in einer anderen Währung: Prüfe sie hier und dort.',
    'cursor-refused':
      'Die Bank kennt die Stelle nicht mehr, bis zu der gelesen wurde. Du musst nichts tun: Der nächste Abgleich liest alle Buchungen neu.',
    mutated: 'Die Buchungen haben sich beim Lesen geändert. Es wird von selbst wieder versucht.',
    'rows-unreadable':
      'Einige Buchungen ließen sich nicht lesen; alle anderen sind da. Sie werden von selbst noch einmal gelesen.',
    redirected:
      'Der Anbieter hat eine neue Adresse: Verbinde ihn mit ihr noch einmal, als neuen Feed.',
    status:
      'Der Anbieter hat mit einem Fehler geantwortet. Sieh in sein Protokoll, und gleiche dann noch einmal ab.',
    'empty-list':
      'Der Anbieter hat keine Buchungen geschickt, obwohl hier viele bekannt sind. Nichts wurde entfernt: Prüfe das Konto dort.',
    'short-list':
      'Der Anbieter hat nur einen kleinen Teil der bekannten Buchungen geschickt. Nichts wurde geändert: Prüfe das Konto dort.',
    'other-account':
      'Der Anbieter hat keine der bekannten Buchungen geschickt, also wurde nichts geändert: Vielleicht ist es ein anderes Konto. Bitte die Person, die den Server betreibt, das richtige zuzuordnen.',
    'url-not-allowed':
      'Der Server erlaubt die Adresse dieses Feeds nicht mehr: Bitte die Person, die ihn betreibt, sie in COFFER_FEED_ALLOWED_URLS einzutragen.',
    'private-address':
      'Die Adresse des Feeds führt in das eigene Netz, was der Server nicht erlaubt: Frag die Person, die ihn betreibt.',
    internal:
      'Der Server konnte den Abgleich nicht beenden. In wenigen Minuten wird es wieder versucht.',
  },
  renew: 'Bei der Bank neu anmelden',
  linkAgain: 'Bank neu verbinden',
  newAccounts: 'Die Bank hat weitere Konten: Wähle aus, welche Coffer lesen soll.',
  chooseAccounts: 'Konten auswählen',
  kinds: { manual: 'Von Hand', aggregator: 'Bank', feed: 'Feed', unknown: 'Andere' },
  statuses: {
    none: '',
    pending: 'Wird eingerichtet',
    active: 'Läuft',
    setup: 'Läuft',
    error: 'Gestört',
    pending_expiration: 'Zustimmung läuft bald ab',
    revoked: 'Zustimmung wurde widerrufen',
    deactivated: 'Abgeschaltet',
    unknown: '',
  },
  lastSuccess: 'Letzter Abgleich {at}',
  bank: 'Bank',
  feedName: 'Name der Verbindung',
  feedUrl: 'Adresse des Anbieters',
  feedNone:
    'Dieser Server nennt keinen Anbieter. Wer ihn betreibt, trägt die erlaubten Adressen in COFFER_FEED_ALLOWED_URLS ein.',
  feedKey: 'API-Schlüssel des Anbieters',
  connect: 'Verbinden',
  candidates: 'Konten dieses Feeds',
  candidatesNone: 'Der Anbieter hat noch keine Konten genannt.',
  taken: 'hinzugefügt',
  pendingFeed:
    'Begonnen {at}, aber nicht beendet: Es ist noch kein Konto gewählt. Nach einem Tag wird die Verbindung von selbst entfernt.',
  goOn: 'Weiter',
  goOnOf: 'Weiter mit {name}',
  removePending:
    'Ihre Adresse und ihr Schlüssel werden gelöscht. Beim Anbieter ändert sich nichts.',
  look: 'Noch einmal nachsehen',
  take: 'Ausgewählte hinzufügen',
  currency: 'Währung',
}
