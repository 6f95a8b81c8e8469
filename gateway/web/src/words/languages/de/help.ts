import type { Translation } from '../translation.ts'

export const help: Translation<'help'> = {
  title: 'Hilfe',
  onScreen: 'Hilfe zu dieser Seite',
  all: 'Alle Seiten',
  search: 'In der Hilfe suchen',
  noneFound: 'Keine Seite enthält diese Wörter. Versuche weniger.',
  next: 'Weiter:',
  keys: 'Auf einer Tastatur zeigt ? alle Tasten.',
  pages: {
    'first-day': 'Der erste Tag',
    envelopes: 'Umschläge',
    paydays: 'Zahltage',
    bills: 'Rechnungen, früh und spät',
    cards: 'Karten und Kredite',
    refunds: 'Erstattungen und Fehler',
    files: 'Dateien einer Bank',
    'bank-files': 'Eine Datei von der Bank holen',
    rules: 'Regeln',
    tags: 'Schlagwörter',
    forecast: 'Die Prognose',
    settings: 'Einstellungen',
  },
}
