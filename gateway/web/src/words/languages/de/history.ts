import type { Translation } from '../translation.ts'

export const history: Translation<'history'> = {
  causes: {
    opening: 'Anfang',
    transaction: 'Zahlung',
    deletion: 'Gelöschte Zahlung',
    kept: 'Gelöschte Zahlung, Betrag behalten',
    transfer: 'Von Hand umgebucht',
    funding: 'Zahltag',
    'period-closed': 'Fällig: Ein neuer Zeitraum beginnt',
    'period-skipped': 'Fälligkeit ausgelassen',
    'envelope-closed': 'Umschlag geschlossen',
    refund: 'Erstattung',
    sync: 'Abgleich der Bank',
    upload: 'Importierte Datei',
    undo: 'Import rückgängig gemacht',
    'manual-edit': 'Von Hand geändert',
    restated: 'Berichtigt',
  },
  ofFile: '{cause, select, refund {Erstattungen in {file}} other {Zahlungen in {file}}}',
  pots: {
    available: 'Verfügbar',
    current: 'Gebuchter Kontostand',
    limit: 'Kreditrahmen',
    envelope: 'Umschlag',
    used: 'Vom Ziel ausgegeben',
  },
  list: 'Verlauf, Neuestes zuerst',
}
