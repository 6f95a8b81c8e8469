import type { SkippedRow, SkipReason } from '../statement.ts'
import { namesOf, type UnnamedRow } from '../statement-rows.ts'
import { type Day, readAmount } from '../statement-values.ts'
import {
  detailsOf,
  isReversal,
  otherPartyOf,
  referenceOf,
  sayingOf,
  servicerReferenceOf,
} from './camt-texts.ts'
import { nodeAt, textAt, type XmlNode } from './xml-tree.ts'

export type RowSettings = {
  currency: string
  places: number
  timezone: string
  midnightOf: (day: Day) => Date | null
}

/**
 * Of an entry: what its rows have in common, read once, as an entry may have very many. `content`
 * is what identifies a row.
 */
type Entry = {
  amount: bigint
  date: Date
  identifier: string
  content: string
  saying: string
  description: string
  isReversal: boolean
}

/**
 * The transactions of an entry, in its currency. An entry that a bank booked as one sum of several
 * transactions becomes one row for each, where their amounts are stated and add up; otherwise it is
 * one row.
 */
export function readEntry(node: XmlNode, settings: RowSettings): (UnnamedRow | SkippedRow)[] {
  const entry = checkEntry(node, settings)
  if (typeof entry === 'string') {
    return [{ identifier: referenceOf(node), reason: entry }]
  }
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

/** The minor units of an `Amt`, never negative, or why there are none. */
export function readCamtAmount(
  node: XmlNode | undefined,
  { currency, places }: Pick<RowSettings, 'currency' | 'places'>,
): bigint | SkipReason {
  const code = nodeAt(node, 'Amt')?.attributes.Ccy?.trim().toUpperCase() ?? ''
  if (code !== '' && code !== currency) {
    return 'currency'
  }
  const amount = readAmount(textAt(node, 'Amt'), places)
  return amount === null || amount < 0n ? 'amount' : amount
}

function checkEntry(node: XmlNode, settings: RowSettings): Entry | SkipReason {
  // Version 8 and later have the status one level deeper.
  const status = textAt(node, 'Sts') || textAt(node, 'Sts', 'Cd')
  if (status === 'PDNG' || status === 'INFO') {
    return 'pending'
  }
  const stated = readCamtAmount(node, settings)
  if (typeof stated === 'string') {
    return stated
  }
  const amount = inOurTerms(node, stated)
  if (amount === null) {
    return 'direction'
  }
  if (amount === 0n) {
    return 'zero'
  }
  const day = dayOf(nodeAt(node, 'BookgDt')) ?? dayOf(nodeAt(node, 'ValDt'))
  const date = day === null ? null : settings.midnightOf(day)
  if (day === null || date === null) {
    return 'date'
  }
  const written = `${day.year}-${day.month}-${day.day}`
  const saying = sayingOf(node)
  return {
    amount,
    date,
    identifier: servicerReferenceOf(node),
    content: `${referenceOf(node)} ${written} ${amount} ${saying}`,
    saying,
    description: textAt(node, 'BkTxCd', 'Prtry', 'Cd') || 'Transaction',
    isReversal: isReversal(node),
  }
}

/** Money out is positive; null where the entry does not say which way it went. */
function inOurTerms(node: XmlNode, amount: bigint): bigint | null {
  const direction = textAt(node, 'CdtDbtInd')
  if (direction !== 'CRDT' && direction !== 'DBIT') {
    return null
  }
  return direction === 'DBIT' ? amount : -amount
}

/** A transaction's own amount; it goes the way of its entry unless it says otherwise. */
function amountOfDetails(node: XmlNode, entry: Entry, settings: RowSettings): bigint | null {
  const holder = nodeAt(node, 'Amt') ? node : nodeAt(node, 'AmtDtls', 'TxAmt')
  const amount = holder ? readCamtAmount(holder, settings) : 'amount'
  if (typeof amount === 'string' || amount === 0n) {
    return null
  }
  if (nodeAt(node, 'CdtDbtInd')) {
    return inOurTerms(node, amount)
  }
  return entry.amount > 0n ? amount : -amount
}

/** The day as the bank writes it, whatever its time and offset. */
function dayOf(node: XmlNode | undefined): Day | null {
  const written = textAt(node, 'Dt') || textAt(node, 'DtTm')
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)(?!\d)/.exec(written) ?? []
  const found = { year: Number(year), month: Number(month), day: Number(day) }
  return day === undefined ? null : found
}

function rowOf(entry: Entry, details: XmlNode | undefined): UnnamedRow {
  const { amount, date, identifier, content, saying, description } = entry
  const names = namesOf({
    name: details === undefined ? '' : otherPartyOf(details, { ...entry, isOut: amount > 0n }),
    memo: (details && sayingOf(details)) || saying,
    description,
  })
  return { identifier, content, row: { amount, date, ...names, isPending: false } }
}
