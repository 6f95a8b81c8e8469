import type { SkippedRow, SkipReason } from '../statement.ts'
import { cut, namesOf, textLengthMax, type UnnamedRow } from '../statement-rows.ts'
import { type Day, readAmount } from '../statement-values.ts'
import { childrenOf, nodeAt, textAt, type XmlNode } from './xml-tree.ts'

/** Placeholders that banks write instead of a reference. */
const NO_REFERENCE = /^(?:NOT ?PROVIDED|NON?REF)$/i

export type RowSettings = {
  currency: string
  places: number
  timezone: string
  midnightOf: (day: Day) => Date | null
}

/**
 * The fields that all rows of an entry share, read once since an entry may have many. `content`
 * identifies a row.
 */
type Entry = {
  amount: bigint
  date: Date
  identifier: string
  content: string
  remittance: string
  description: string
  isReversal: boolean
}

/**
 * Returns the rows of an entry (docs/file-formats.md#camt053). An entry that sums up several
 * transactions becomes one row for each, if their amounts are stated and add up, otherwise one row.
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
    return rowOf({ ...entry, identifier, content, amount: amounts[index] ?? 0n }, one)
  })
}

/** Returns the minor units of an `Amt`, never negative, or the reason why it is unreadable. */
export function readCamtAmount(
  node: XmlNode | undefined,
  { currency, places }: Pick<RowSettings, 'currency' | 'places'>,
): bigint | SkipReason {
  const code = nodeAt(node, 'Amt')?.attributes.Ccy?.trim().toUpperCase() ?? ''
  if (code !== '' && code !== currency) return 'currency'
  const amount = readAmount(textAt(node, 'Amt'), places)
  return amount === null || amount < 0n ? 'amount' : amount
}

function checkEntry(node: XmlNode, settings: RowSettings): Entry | SkipReason {
  // Versions 8 and later nest the status one level deeper.
  const status = textAt(node, 'Sts') || textAt(node, 'Sts', 'Cd')
  if (status === 'PDNG' || status === 'INFO') return 'pending'
  const stated = readCamtAmount(node, settings)
  if (typeof stated === 'string') return stated
  const amount = signedAmount(node, stated)
  if (amount === null) return 'direction'
  if (amount === 0n) return 'zero'
  const day = dayOf(nodeAt(node, 'BookgDt')) ?? dayOf(nodeAt(node, 'ValDt'))
  const date = day === null ? null : settings.midnightOf(day)
  if (day === null || date === null) return 'date'
  const written = `${day.year}-${day.month}-${day.day}`
  const remittance = remittanceOf(node)
  return {
    amount,
    date,
    identifier: servicerReferenceOf(node),
    content: `${referenceOf(node)} ${written} ${amount} ${remittance}`,
    remittance,
    description: textAt(node, 'BkTxCd', 'Prtry', 'Cd') || 'Transaction',
    isReversal: isReversal(node),
  }
}

/** Returns the signed amount, positive when money leaves the account; null without a direction. */
function signedAmount(node: XmlNode, amount: bigint): bigint | null {
  const direction = textAt(node, 'CdtDbtInd')
  if (direction !== 'CRDT' && direction !== 'DBIT') return null
  return direction === 'DBIT' ? amount : -amount
}

/**
 * Returns the signed amount of a transaction. It has the direction of its entry unless it states
 * one.
 */
function amountOfDetails(node: XmlNode, entry: Entry, settings: RowSettings): bigint | null {
  const holder = nodeAt(node, 'Amt') ? node : nodeAt(node, 'AmtDtls', 'TxAmt')
  const amount = holder ? readCamtAmount(holder, settings) : 'amount'
  if (typeof amount === 'string' || amount === 0n) return null
  if (nodeAt(node, 'CdtDbtInd')) return signedAmount(node, amount)
  return entry.amount > 0n ? amount : -amount
}

/** Returns the day as written, whatever its time and offset. */
function dayOf(node: XmlNode | undefined): Day | null {
  const written = textAt(node, 'Dt') || textAt(node, 'DtTm')
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)(?!\d)/.exec(written) ?? []
  const found = { year: Number(year), month: Number(month), day: Number(day) }
  return day === undefined ? null : found
}

function rowOf(entry: Entry, details: XmlNode | undefined): UnnamedRow {
  const { amount, date, identifier, content, remittance, description } = entry
  const names = namesOf({
    name: details === undefined ? '' : otherPartyOf(details, { ...entry, isOut: amount > 0n }),
    memo: (details && remittanceOf(details)) || remittance,
    description,
  })
  return { identifier, content, row: { amount, date, ...names, isPending: false } }
}

/** Returns the transactions of an entry; banks may book several as one sum. */
export function detailsOf(entry: XmlNode): XmlNode[] {
  return childrenOf(entry, 'NtryDtls').flatMap((one) => childrenOf(one, 'TxDtls'))
}

/** Returns the bank's own reference, which is unique per entry; blank if there is none. */
function servicerReferenceOf(entry: XmlNode): string {
  const details = detailsOf(entry)
  const ofDetails = details.length === 1 ? textAt(details[0], 'Refs', 'AcctSvcrRef') : ''
  return [textAt(entry, 'AcctSvcrRef'), ofDetails].map(stated).find(Boolean) ?? ''
}

/**
 * Returns a reference of an entry, of any kind. Only the bank's own is unique: the number of an
 * entry restarts with each statement, and a standing order repeats its end-to-end identification.
 */
function referenceOf(entry: XmlNode): string {
  const [first] = detailsOf(entry)
  const weaker = [textAt(entry, 'NtryRef'), textAt(first, 'Refs', 'EndToEndId')]
  return servicerReferenceOf(entry) || (weaker.map(stated).find(Boolean) ?? '')
}

/**
 * Returns the name of the other party. A reversal names the parties of the entry that it
 * reverses, so their roles are swapped (ISO 20022, ReversalIndicator).
 */
function otherPartyOf(
  details: XmlNode,
  { isReversal, isOut }: { isReversal: boolean; isOut: boolean },
): string {
  const role = isOut === isReversal ? 'Dbtr' : 'Cdtr'
  const parties = nodeAt(details, 'RltdPties')
  // Versions 8 and later nest the name one level deeper.
  return textAt(parties, role, 'Nm') || textAt(parties, role, 'Pty', 'Nm')
}

/** Returns whether an entry reverses another one. */
function isReversal(entry: XmlNode): boolean {
  return ['true', '1'].includes(textAt(entry, 'RvslInd'))
}

/** Returns the remittance text of an entry or a transaction, bounded. */
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
