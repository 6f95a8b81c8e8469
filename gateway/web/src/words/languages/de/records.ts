import type { Translation } from '../translation.ts'

export const records: Translation<'records'> = {
  title: 'So hat es die Bank geschickt',
  text: 'Text',
  merchant: 'Händler',
  categories: 'Kategorien',
  amount: 'Betrag',
  state: 'Status',
  pending: 'Vorgemerkt',
  posted: 'Gebucht',
  day: 'Tag',
  authorized: 'Bezahlt am',
  received: 'Empfangen',
  withdrawn: 'Ersetzt oder zurückgezogen',
}
