import type { Translation } from '../translation.ts'

export const ruleRuns: Translation<'ruleRuns'> = {
  title: 'Auf gespeicherte Buchungen',
  about:
    'Neue Regeln warten auf das, was hereinkommt. Du kannst sie auch auf gespeicherte Buchungen anwenden. Deine eigenen Änderungen und Buchungen von Hand bleiben, wie sie sind.',
  apply: 'Regeln anwenden',
  applyThis: 'Auch auf gespeicherte anwenden',
  applyTitle: 'Alle Regeln auf gespeicherte Buchungen anwenden?',
  applyText:
    'Umschläge bezahlen ihre Zahlungen, auch vergangene. Das lässt sich 30 Tage lang rückgängig machen.',
  bankAccount: 'Konto',
  allAccounts: 'Alle Konten',
  from: 'Von',
  to: 'Bis',
  start: 'Anwenden',
  list: 'Was angewendet wurde, Neuestes zuerst',
  ofRules: '{count, plural, one {Eine Regel} other {# Regeln}}',
  ofRule: 'Regel „{name}“',
  statuses: {
    running: 'Wird angewendet',
    complete: 'Angewendet',
    failed: 'Fehlgeschlagen',
    undoing: 'Wird rückgängig gemacht',
    undone: 'Rückgängig gemacht',
  },
  working: 'Die Buchungen werden verglichen',
  counts:
    '{matched, plural, one {# passt} other {# passen}}, {changed, plural, other {#}} geändert{left, plural, =0 {} other {, in # blieb etwas stehen}}',
  undoneCounts:
    '{undone, plural, other {#}} zurückgesetzt{kept, plural, =0 {} other {, in # bleibt etwas, das seither geändert wurde}}',
  undo: 'Rückgängig machen',
  undoTitle: 'Rückgängig machen, was die Regeln gesetzt haben?',
  undoText:
    '{count, plural, one {Eine Buchung bekommt} other {# Buchungen bekommen}} die früheren Werte. Ein Feld, das seither geändert wurde, bleibt.',
}
