import { foldText } from '@coffer/kit/values/fold'
import type { FieldRef } from './csv-mapping.ts'

/** Names of columns with the state of each payment. */
const STATES = namesIn([
  'state, status, transaction status, booking status, payment status, transaction state, info',
  'etat, posting status, result, zustand, transaktionsstatus, buchungsstatus, umsatzstatus',
  'statut, estado, stato, stato transazione, stato operazione, tila, stan, status transakcji',
  'stav, stav transakce, allapot, статус, статус операции, situacao, situação, durum',
  'işlem durumu, 交易状态, 当前状态',
])
/** States of payments that failed or were reversed. */
const FAILED = namesIn([
  'reverted, reversed, declined, failed, denied, rejected, refused, cancelled, canceled, void',
  'voided, expired, unsuccessful, removed, abgelehnt, fehlgeschlagen, storniert, abgebrochen',
  'zurückgewiesen, nicht ausgeführt, refusé, refusée, annulé, annulée, échoué, échouée',
  'rechazada, rechazado, cancelada, cancelado, anulada, anulado, denegada, denegado, fallida',
  'recusada, recusado, annullato, annullata, rifiutato, rifiutata, stornata, fallita, geweigerd',
  'geannuleerd, mislukt, slettet, annulleret, afvist, avvisad, makulerad, avvist, avbruten',
  'hylätty, peruutettu, anulowana, anulowane, odrzucona, odrzucone, zamítnuto, stornováno',
  'zrušeno, отклонено, отклонена, отменено, отменена, iptal, iptal edildi, reddedildi',
  'elutasítva, sztornó, respinsă, anulată, 交易关闭, 已取消',
])
/** States of payments that the bank has not booked yet. */
const WAITING = namesIn([
  'pending, processing, in progress, on hold, authorized, authorised, vorgemerkt, offen',
  'vorgemerkte, ausstehende, pendientes, reserverade, reserverede, reserverte',
  'ausstehend, in bearbeitung, en attente, en cours, pendiente, pendente, in attesa',
  'in behandeling, gereserveerd, reserveret, reserverad, reservert, varaus, oczekująca',
  'oczekujące, blokada, čekající, függőben, в обработке, ожидает, bekliyor, beklemede, 处理中, 等待付款',
])
/** States of completed payments. */
const BOOKED = namesIn([
  'completed, complete, posted, booked, settled, cleared, succeeded, successful, success, approved',
  'paid, done, ok, processed, executed, refunded, gebucht, ausgeführt, abgeschlossen, erledigt',
  'comptabilisé, exécuté, terminé, completada, completado, contabilizado, concluída',
  'contabilizzato, eseguito, verwerkt, uitgevoerd, bogført, gennemført, bokförd, bokført',
  'kirjattu, zaksięgowana, zaksięgowane, wykonana, zrealizowana, zaúčtováno, provedeno, könyvelt',
  'teljesült, исполнено, выполнено, проведено, tamamlandı, gerçekleşti, 交易成功, 支付成功, 已完成',
])

/** Names of columns of fees. */
const FEES = namesIn([
  'fee, fees, fee amount, source fee amount, gebuhr, gebuehr, gebuhren, entgelt, frais, comision',
  'comisiones, tarifa, commissione, commissioni, comissao, taxa, tasa, kosten, transactiekosten',
  'avgift, gebyr, oplata',
  'prowizja, poplatek, kulu, teenustasu, mokestis, komisija, комиссия, 手数料, 手续费',
])

/** Names of columns of net amounts: after fees. */
const NETS = namesIn([
  'net, net amount, net total, netto, nettobetrag, netto betrag, montant net, neto, importe neto',
  'importo netto, liquido, valor liquido, kwota netto, nettobelopp, nettobeløp, bedrag netto',
  'čistá částka, сумма нетто, 純額, 净额',
])

/** The name of a column of what is sent after fees, which have a column of their own. */
const SENT_AFTER_FEES = 'source amount after fees'

/** Names of columns with the payer of each transaction. */
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

/** Columns of payer and payee. In deposits the payee is the account's owner, else the payer. */
export type Parties = { payer: FieldRef; payee: FieldRef }

/**
 * Returns the columns of payer and payee, if `merchant` is one of the two. The sign of the amount
 * then decides for each row which of them names the other party.
 */
export function findParties(headers: readonly string[], merchant?: FieldRef): Parties | null {
  const payer = headers.find((name) => PAYERS.has(foldName(name)))
  const payee = headers.find((name) => PAYEES.has(foldName(name)))
  const isEither = merchant?.name !== undefined && [payer, payee].includes(merchant.name)
  return isEither && payer && payee ? { payer: { name: payer }, payee: { name: payee } } : null
}

/** Returns the column of fees and the column of net amounts, each null if missing. */
export function findFees(headers: readonly string[]): Record<'fee' | 'net', FieldRef | null> {
  const find = (names: ReadonlySet<string>) => {
    const name = headers.find((one) => names.has(foldName(one)))
    return name === undefined ? null : { name }
  }
  return { fee: find(FEES), net: find(NETS) }
}

/** Returns whether the amounts of a column lack the fee that their sender pays. */
export function isAfterFees(column: FieldRef | undefined): boolean {
  return foldName(column?.name ?? '') === SENT_AFTER_FEES
}

/** Returns the columns of states: by name, else the columns that contain only states. */
export function findStates(
  headers: readonly string[],
  rows: Iterable<{ at: (ref: FieldRef) => string }>,
): FieldRef[] {
  const named = headers.filter((name) => STATES.has(foldName(name))).map((name) => ({ name }))
  if (named.length > 0) return named
  return columnsWhere(headers, rows, (text) => stateOf(text) !== null).map((name) => ({ name }))
}

/** Returns the names of non-empty columns in which every text fits. */
export function columnsWhere(
  headers: readonly string[],
  rows: Iterable<{ at: (ref: FieldRef) => string }>,
  fits: (text: string) => boolean,
): string[] {
  let left = headers
  const filled = new Set<string>()
  for (const { at } of rows) {
    if (left.length === 0) break
    left = left.filter((name) => {
      const text = at({ name })
      if (text !== '') filled.add(name)
      return text === '' || fits(text)
    })
  }
  return left.filter((name) => filled.has(name))
}

/**
 * Returns the state that a text names: `failed` if the payment moves no money, `waiting` if the
 * bank has not booked it yet; null if the text is no state. Compares the whole text. For `failed`
 * and `waiting` also compares each word of a short text, such as `Umsatz vorgemerkt`.
 */
export function stateOf(text: string): 'failed' | 'waiting' | 'booked' | null {
  const folded = foldName(text)
  const words = folded.split(' ')
  const texts = words.length <= stateWordsMax ? [folded, ...words] : [folded]
  if (texts.some((one) => FAILED.has(one))) return 'failed'
  if (texts.some((one) => WAITING.has(one))) return 'waiting'
  return BOOKED.has(folded) ? 'booked' : null
}

/** Maximum number of words of a text whose words are compared one by one. */
const stateWordsMax = 4

/** Folds a column name: lower case, no accents, no punctuation. */
export function foldName(name: string): string {
  return foldText(name)
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** Returns the folded names of comma-separated lists. */
export function namesIn(lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(', ').map(foldName)))
}
