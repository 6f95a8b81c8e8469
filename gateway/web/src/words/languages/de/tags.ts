import type { Translation } from '../translation.ts'

export const tags: Translation<'tags'> = {
  title: 'Schlagwörter',
  text: 'Schlagwörter ordnen Buchungen über Umschläge und Konten hinweg. Sie bewegen kein Geld.',
  list: 'Schlagwörter, die häufigsten zuerst',
  none: 'Noch keine Schlagwörter. Öffne eine Buchung, um ihr eines zu geben, oder lass sie von einer Regel setzen.',
  count: '{count, plural, one {1 Buchung} other {# Buchungen}}',
  field: 'Schlagwörter',
  fieldHint: 'Ein Komma oder die Eingabetaste beendet ein Schlagwort.',
  own: 'Schlagwörter: {tags}',
  remove: '{name} entfernen',
  tag: 'Schlagwort',
  all: 'Alle Schlagwörter',
  add: 'Schlagwort hinzufügen',
  take: 'Schlagwort entfernen',
  rename: 'Umbenennen',
  renameTitle: '{name} umbenennen',
  merge:
    '{count, plural, =0 {Zusammenlegen} one {Zusammenlegen} other {# Schlagwörter zusammenlegen}}',
  mergeTitle: '{names} zusammenlegen',
  mergeHint: 'Wähle zwei oder mehr aus, um daraus eines zu machen.',
  select: '{name} auswählen',
  name: 'Neuer Name',
  nameText: 'Es ändert sich in allen Buchungen aller Konten und in Regeln.',
  save: 'Speichern',
  required: 'Fülle das aus.',
  delete: 'Entfernen',
  deleteTitle: '{name} überall entfernen?',
  deleteText:
    '{count, plural, one {Eine Buchung verliert} other {# Buchungen verlieren}} das Schlagwort, und Regeln setzen es nicht mehr. Das lässt sich nicht rückgängig machen.',
}
