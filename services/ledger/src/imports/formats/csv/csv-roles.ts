import { foldText } from '@coffer/kit/values/fold'
import type { FieldRef } from './csv-mapping.ts'

/** Names of a column with the state of a row, and its words for payments that never took place. */
const STATES = namesIn([
  'state, status, transaction status, booking status, payment status, info, etat, statut, estado',
  'stato, tila, stav, allapot, статус, situacao, situação, durum',
])
const FAILED = namesIn([
  'reverted, declined, failed, denied, rejected, cancelled, canceled, abgelehnt, fehlgeschlagen',
  'refusé, annulé, échoué, rechazada, rechazado, cancelada, cancelado, recusada, recusado',
  'annullato, rifiutato, geweigerd, odrzucona, отклонено',
])

/** Names of a column of fees beside amounts. */
const FEES = namesIn([
  'fee, fees, fee amount, gebuhr, gebuehr, gebuhren, entgelt, frais, comision, comisiones, tarifa',
  'commissione, commissioni, comissao, taxa, tasa, kosten, transactiekosten, avgift, gebyr, oplata',
  'prowizja, poplatek, kulu, teenustasu, mokestis, komisija, комиссия, 手数料, 手续费',
])

/** Names of a column of amounts from which the fees were taken. */
const NETS = namesIn([
  'net, net amount, net total, netto, nettobetrag, netto betrag, montant net, neto, importe neto',
  'importo netto, liquido, valor liquido, kwota netto, nettobelopp, nettobeløp, bedrag netto',
  'čistá částka, сумма нетто, 純額, 净额',
])

/** Names of the columns of both parties: who pays, and who is paid. */
const PAYERS = namesIn([
  'zahlungspflichtige*r, zahlungspflichtige r, zahlungspflichtiger, zahler, auftraggeber',
  'auftraggeber name, payer, payer name, sender, sender name, debtor, debtor name, from, donneur',
  "donneur d'ordre, ordenante, ordinante, nadawca, maksaja, zleceniodawca, плательщик",
])
const PAYEES = namesIn([
  'zahlungsempfänger*in, zahlungsempfänger, zahlungsempfaenger, empfänger, empfaenger',
  'begünstigter, beguenstigter, payee, payee name, beneficiary, beneficiary name, recipient',
  'recipient name, receiver, receiver name, creditor, creditor name, to, bénéficiaire',
  'beneficiario, odbiorca, saaja, получатель',
])

/** The columns of both parties of a payment; the account's own name is in either. */
export type Parties = { payer: FieldRef; payee: FieldRef }

/** Returns the columns of both parties if `merchant` is one of them: the sign tells the other. */
export function findParties(headers: readonly string[], merchant?: FieldRef): Parties | null {
  const payer = headers.find((name) => PAYERS.has(foldName(name)))
  const payee = headers.find((name) => PAYEES.has(foldName(name)))
  const isEither = merchant?.name !== undefined && [payer, payee].includes(merchant.name)
  return isEither && payer && payee ? { payer: { name: payer }, payee: { name: payee } } : null
}

/** Returns the column of the fees, if any. */
export function findFees(headers: readonly string[]): FieldRef | null {
  const name = headers.find((one) => FEES.has(foldName(one)))
  return name === undefined ? null : { name }
}

/** Returns the column of the amounts after fees, if any. */
export function findNet(headers: readonly string[]): FieldRef | undefined {
  const name = headers.find((one) => NETS.has(foldName(one)))
  return name === undefined ? undefined : { name }
}

/** Returns the columns with the state of a row. */
export function findStates(headers: readonly string[]): FieldRef[] {
  return headers.filter((name) => STATES.has(foldName(name))).map((name) => ({ name }))
}

/** Returns whether a state says that the payment never took place, and moves no money. */
export function isFailed(state: string): boolean {
  return FAILED.has(foldName(state))
}

/** Returns the name of a column without case, accents and marks. */
export function foldName(name: string): string {
  return foldText(name)
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** Returns the folded names of lines in which commas part them. */
export function namesIn(lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(', ').map(foldName)))
}
