import type { Day } from '@coffer/kit/values/day'
import { markShownBy, readWrittenAmount } from '../amounts/amount-text.ts'
import type { Booking, SkippedRow, SkipReason } from '../statement.ts'
import { cut, namesOf, textLengthMax, type UnnamedRow } from '../statement-rows.ts'
import { dayInContents, midnightOn, readAmount } from '../statement-values.ts'
import { childrenOf, nodeAt, textAt, type XmlNode } from './xml-tree.ts'

/** Placeholders that banks write in place of a missing reference. */
const NO_REFERENCE = /^(?:NOT ?PROVIDED|NON?REF)$/i

export type RowSettings = {
  currency: string
  places: number
  timezone: string
  /** Whether to skip entries without the bank's reference: no later statement could match them. */
  needsReference: boolean
}

/**
 * Fields that all rows of a CAMT entry share. `content` distinguishes entries with an equal or
 * empty `identifier`.
 */
type Entry = {
  amount: bigint
  date: Date
  identifier: string
  content: string
  remittance: string
  description: string
  isReversal: boolean
  /** The bank's booking; null if the entry has no reference of the bank. */
  booking: Booking | null
}

/**
 * Splits a CAMT entry into its transactions if their amounts are stated and add up to the entry's
 * amount; else returns one row for the entry (docs/file-formats.md#camt).
 */
export function readEntry(node: XmlNode, settings: RowSettings): (UnnamedRow | SkippedRow)[] {
  const entry = checkEntry(node, settings)
  if (typeof entry === 'string') return [{ identifier: referenceOf(node), reason: entry }]
  const details = detailsOf(node)
  const amounts = details.map((one) => amountOfDetails(one, entry, settings))
  const sum = amounts.reduce<bigint | null>(
    (total, amount) => (total === null || amount === null ? null : total + amount),
    0n,
  )
  if (details.length < 2 || sum !== entry.amount) {
    return [rowOf(entry, details.length === 1 ? details[0] : undefined)]
  }
  return details.map((one, index) => {
    const [identifier, content] = [entry.identifier, entry.content].map(
      (text) => text && `${text}/${index + 1}`,
    ) as [string, string]
    const part = { ...entry, identifier, content, amount: amounts[index] ?? 0n }
    return rowOf({ ...part, booking: entry.booking && { ...entry.booking, isPart: true } }, one)
  })
}

/** Returns an amount; some banks group thousands. Null if ambiguous, such as `1,400`. */
function readAmountOf(text: string, of: { currency: string; places: number }): bigint | null {
  if (/^\d*\.?\d*$/.test(text)) return readAmount(text, of.places)
  const mark = markShownBy(text)
  return mark === null ? null : readWrittenAmount(text, { ...of, mark })
}

/** Returns the `Amt` of an element in minor units, never negative, or why the row is skipped. */
export function readCamtAmount(
  node: XmlNode | undefined,
  { currency, places }: Pick<RowSettings, 'currency' | 'places'>,
): bigint | SkipReason {
  const code = nodeAt(node, 'Amt')?.attributes.Ccy?.trim().toUpperCase() ?? ''
  if (code !== '' && code !== currency) return 'currency'
  const amount = readAmountOf(textAt(node, 'Amt'), { currency, places })
  return amount === null || amount < 0n ? 'amount' : amount
}

function checkEntry(node: XmlNode, settings: RowSettings): Entry | SkipReason {
  // From version 8 of CAMT on, the status is one level deeper, in `Cd`.
  const status = textAt(node, 'Sts') || textAt(node, 'Sts', 'Cd')
  if (status === 'PDNG' || status === 'INFO') return 'pending'
  const identifier = servicerReferenceOf(node)
  if (identifier === '' && settings.needsReference) return 'identifier'
  const stated = readCamtAmount(node, settings)
  if (typeof stated === 'string') return stated
  const amount = signedAmount(node, stated)
  if (amount === null) return 'direction'
  if (amount === 0n) return 'zero'
  const day = dayOf(nodeAt(node, 'BookgDt')) ?? dayOf(nodeAt(node, 'ValDt'))
  const date = day === null ? null : midnightOn(day, settings.timezone)
  if (day === null || date === null) return 'date'
  const written = dayInContents(day)
  const remittance = remittanceOf(node)
  return {
    amount,
    date,
    identifier,
    content: `${referenceOf(node)} ${written} ${amount} ${remittance}`,
    remittance,
    description: textAt(node, 'BkTxCd', 'Prtry', 'Cd') || 'Transaction',
    isReversal: ['true', '1'].includes(textAt(node, 'RvslInd')),
    booking: identifier === '' ? null : { identifier, amount, isPart: false },
  }
}

/** Returns the signed amount, positive when money leaves the account; null without a direction. */
function signedAmount(node: XmlNode, amount: bigint): bigint | null {
  const direction = textAt(node, 'CdtDbtInd')
  if (direction !== 'CRDT' && direction !== 'DBIT') return null
  return direction === 'DBIT' ? amount : -amount
}

/** Returns a transaction's signed amount, by default with the entry's sign; null if unreadable. */
function amountOfDetails(node: XmlNode, entry: Entry, settings: RowSettings): bigint | null {
  const holder = nodeAt(node, 'Amt') ? node : nodeAt(node, 'AmtDtls', 'TxAmt')
  const amount = holder ? readCamtAmount(holder, settings) : 'amount'
  if (typeof amount === 'string' || amount === 0n) return null
  if (nodeAt(node, 'CdtDbtInd')) return signedAmount(node, amount)
  return entry.amount > 0n ? amount : -amount
}

/** Returns the calendar day of a date, ignoring time and UTC offset; null if malformed. */
function dayOf(node: XmlNode | undefined): Day | null {
  const written = textAt(node, 'Dt') || textAt(node, 'DtTm')
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)(?!\d)/.exec(written) ?? []
  const found = { year: Number(year), month: Number(month), day: Number(day) }
  return day === undefined ? null : found
}

function rowOf(entry: Entry, details: XmlNode | undefined): UnnamedRow {
  const { amount, date, identifier, content, remittance, description, booking } = entry
  const names = namesOf({
    name: details === undefined ? '' : otherPartyOf(details, { ...entry, isOut: amount > 0n }),
    memo: (details && remittanceOf(details)) || remittance,
    description,
  })
  const row = { amount, date, ...names, isPending: false, ...(booking ? { booking } : {}) }
  return { identifier, content, ...(identifier === '' ? {} : { isReusable: true }), row }
}

/** Returns the `TxDtls` elements of a CAMT entry: one for each of its transactions. */
export function detailsOf(entry: XmlNode): XmlNode[] {
  return childrenOf(entry, 'NtryDtls').flatMap((one) => childrenOf(one, 'TxDtls'))
}

/** Returns the bank's reference of an entry, which is unique; '' if there is none. */
function servicerReferenceOf(entry: XmlNode): string {
  const details = detailsOf(entry)
  const ofDetails = details.length === 1 ? textAt(details[0], 'Refs', 'AcctSvcrRef') : ''
  return [textAt(entry, 'AcctSvcrRef'), ofDetails].map(stated).find(Boolean) ?? ''
}

/** Returns the bank's reference of an entry, else its entry reference or end-to-end ID, else ''. */
function referenceOf(entry: XmlNode): string {
  const [first] = detailsOf(entry)
  const weaker = [textAt(entry, 'NtryRef'), textAt(first, 'Refs', 'EndToEndId')]
  return servicerReferenceOf(entry) || (weaker.map(stated).find(Boolean) ?? '')
}

/**
 * Returns the other party's name or '': the ultimate debtor or creditor, else the direct one. In a
 * reversal (`RvslInd`), debtor and creditor are swapped.
 */
function otherPartyOf(
  details: XmlNode,
  { isReversal, isOut }: { isReversal: boolean; isOut: boolean },
): string {
  const role = isOut === isReversal ? 'Dbtr' : 'Cdtr'
  const parties = nodeAt(details, 'RltdPties')
  return nameOf(nodeAt(parties, `Ultmt${role}`)) || nameOf(nodeAt(parties, role))
}

/**
 * Returns the name of a party. From version 8 of CAMT on, the name is one level deeper, in `Pty`
 * for a person or company and in `Agt` for a bank.
 */
function nameOf(party: XmlNode | undefined): string {
  return (
    textAt(party, 'Nm') || textAt(party, 'Pty', 'Nm') || textAt(party, 'Agt', 'FinInstnId', 'Nm')
  )
}

/** Returns the remittance text of an entry or transaction, cut to 2,000 characters. */
function remittanceOf(node: XmlNode): string {
  const remittance = nodeAt(node, 'RmtInf')
  const texts = childrenOf(remittance, 'Ustrd').map(({ text }) => text.trim())
  const references = childrenOf(remittance, 'Strd').map((one) => textAt(one, 'CdtrRefInf', 'Ref'))
  const written =
    texts.join(' ').trim() ||
    references.join(' ').trim() ||
    textAt(node, 'AddtlTxInf') ||
    textAt(node, 'AddtlNtryInf')
  return cut(written, textLengthMax)
}

function stated(reference: string): string {
  return NO_REFERENCE.test(reference) ? '' : reference
}
