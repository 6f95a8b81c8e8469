import type { Translation } from '../translation.ts'

export const ruleSuggestions: Translation<'ruleSuggestions'> = {
  title: 'Vorschläge',
  about: 'Zahlungen, die immer wiederkommen. Ein Klick macht daraus eine Regel für alle.',
  list: 'Vorgeschlagene Regeln',
  ofThis: 'Dasselbe für ähnliche?',
  counts:
    '{matched} wie diese; {changed, plural, =0 {keine würde sich ändern} one {# bekäme {fields}{edited, plural, =0 {} other {, soweit nicht selbst gewählt}}} other {# bekämen {fields}{edited, plural, =0 {} other {, soweit nicht selbst gewählt}}}}.',
  fields: {
    name: 'den Namen',
    merchantName: 'den Händler',
    notes: 'die Notiz',
    tags: 'die Schlagwörter',
    spendingId: 'den Umschlag',
    refundSpendingId: 'den Umschlag',
  },
  envelopeOf: 'Umschlag für {name}',
  accept: 'Regel anlegen',
  acceptOf: 'Regel anlegen: {name}',
  preview: 'Vorschau',
  previewOf: 'Vorschau: {name}',
  change: 'Erst ändern',
  changeOf: 'Erst ändern: {name}',
  dismiss: 'Verwerfen',
  dismissOf: 'Verwerfen: {name}',
  dismissed: 'Das wird nicht wieder vorgeschlagen.',
  more: 'Mehr zeigen',
}
