import type { Translation } from '../translation.ts'

export const bulk: Translation<'bulk'> = {
  select: 'Auswählen',
  done: 'Fertig',
  one: '„{name}“ auswählen',
  bar: 'Ausgewählte Buchungen',
  count: '{count} ausgewählt',
  full: '{count} ausgewählt, mehr geht nicht auf einmal',
  all: 'Alle geladenen auswählen',
  none: 'Keine auswählen',
  assign: 'Zuordnen',
  hasBooked: '{count, plural, one {Eine} other {#}} als gebucht markieren',
  refused: 'Nicht geändert:',
  changed: '{all, plural, one {Eine Buchung} other {# Buchungen}} geändert.',
  changedSome:
    '{all, plural, one {Die Buchung wurde nicht geändert.} other {{count} von # Buchungen geändert.}}',
  former:
    '{all, plural, one {Sie ist} other {{count, plural, one {Eine davon ist} other {# davon sind}}}} von einem Tag vor dem {day}, an dem die letzte Rechnung von „{envelope}“ fällig war: Ist sein Geld für die kommende Rechnung, nimm es zurück.',
  older:
    '{all, plural, one {Sie ist} other {{count, plural, one {Eine davon ist} other {# davon sind}}}} älter als der Umschlag „{envelope}“, den es seit dem {day} gibt: Ist sein Geld für später, nimm es zurück.',
  others: '{count, plural, one {eine weitere} other {# weitere}}',
  left: 'Seither geändert und so gelassen: {names}.',
  undo: 'Rückgängig machen',
  removeTitle: '{count, plural, one {Eine Buchung löschen?} other {# Buchungen löschen?}}',
  removeText:
    'Sie verschwinden aus allen Listen. Der Filter „Status: Gelöscht“ zeigt sie, und von dort lassen sie sich zurückholen. Mit dem Häkchen ändert sich der Kontostand um ihre Beträge, auch um die, die ihn nicht bewegt haben.',
  returns: 'Beträge dem Kontostand zurückgeben',
}
