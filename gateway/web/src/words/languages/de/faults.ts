import type { Translation } from '../translation.ts'

export const faults: Translation<'faults'> = {
  unreachable: 'Der Server ist nicht erreichbar. Deine Eingaben sind noch da.',
  notSent:
    'Der Server war nicht erreichbar, also wurde nichts gesendet. Deine Eingaben sind noch da.',
  trying:
    'Der Server ist nicht erreichbar. Es wird noch kurz versucht. Deine Eingaben sind noch da.',
  unanswered:
    'Der Server ist nicht erreichbar und hat das vielleicht schon gespeichert. Schick es unverändert noch einmal: Es wird nur einmal gespeichert.',
  slow: 'Der Server hat zu lange gebraucht. Deine Eingaben sind noch da.',
  failed: 'Das hat nicht geklappt.',
  tooOften:
    'Zu viele Versuche. Versuch es in {minutes, plural, one {einer Minute} other {# Minuten}} noch einmal.',
  ofServer: 'Der Server meldet: {text}',
  fields: 'Sieh dir einige Eingaben noch einmal an.',
  meanwhile:
    'Inzwischen in einem anderen Fenster oder auf einem anderen Gerät geändert: {changes}. Deine Eingaben sind noch da und nicht gespeichert.',
  isNow: '„{label}“ ist jetzt {text}',
  saveAnyway: 'Meine trotzdem speichern',
  takeOther: 'Die Änderung übernehmen',
  isOn: '{isOn, select, true {ja} other {nein}}',
  again: 'Noch einmal versuchen',
  request: 'Anfrage {id}',
  offline:
    'Der Server ist nicht erreichbar. Du siehst, was zuletzt bekannt war, und kannst nichts ' +
    'ändern. Es wird wieder versucht.',
  lastSeen: 'Keine Verbindung. Du siehst, was bis {at} bekannt war, und kannst nichts ändern.',
  upgraded: 'Eine neuere Version von Coffer ist da.',
  partAway: 'Der Server ist nicht erreichbar, also kann diese Seite nicht geladen werden.',
  partGone: 'Coffer wurde inzwischen erneuert. Lade diese Seite deshalb neu.',
  reload: 'Neu laden',
  broken: 'Diese Seite ist abgestürzt. Der Fehler liegt bei uns, nicht bei dir.',
  notFound: 'Diese Seite gibt es nicht',
  notFoundText: 'Vielleicht ist die Adresse vertippt, oder die Seite wurde entfernt.',
  toHome: 'Zur Startseite',
}
