import type { values } from '@coffer/proto/values'
import { z } from 'zod'
import { AccountType, isCredit } from '../../book/bank-account.ts'
import type { ReceivedStatement } from '../formats/statement.ts'

/** A live bank account that a file may belong to; it has `rowCount` of the file's first rows. */
export const FitCandidate = z.object({
  bankAccountId: z.string(),
  currency: z.string(),
  mask: z.string().nullable(),
  /** Last four characters of the account numbers in files imported before. */
  stated: z.array(z.string()),
  accountType: AccountType,
  isManual: z.boolean(),
  balancesAsOf: z.date().nullable(),
  rowCount: z.number(),
})
export type FitCandidate = z.infer<typeof FitCandidate>

/** Evidence that a file belongs to another bank account (docs/files/fit.md). */
export interface Misfit {
  reason: (typeof values)['Misfit.reason'][number]
  /** The account number or kind of account in the file. */
  stated: string | null
  /** The only other bank account that fits; null if none or several fit. */
  bankAccountId: string | null
  /** Number of the file's first rows that are stored in `bankAccountId`. */
  rowCount: bigint | null
}

/** A file to match with a bank account; `comparedCount` is the number of compared first rows. */
export type FitFile = Pick<ReceivedStatement, 'account' | 'currency'> & { comparedCount: number }

/** Returns the evidence that a file belongs to another bank account than the chosen one. */
export function findMisfits(
  { account, currency, comparedCount }: FitFile,
  { all, bankAccountId }: { all: readonly FitCandidate[]; bankAccountId: string },
): Misfit[] {
  const chosen = all.find((one) => one.bankAccountId === bankAccountId)
  if (chosen === undefined) return []
  const others = all.filter((one) => one.isManual && one !== chosen && one.currency === currency)
  const onlyOf = (fitting: FitCandidate[]) =>
    fitting.length === 1 ? (fitting[0]?.bankAccountId ?? null) : null
  const misfits: Misfit[] = []
  const number = plainNumber(account?.number ?? '')
  const endings = number === null ? [] : [number, withoutEnd(number)]
  const hasNumber = (one: FitCandidate) =>
    numbersOf(one).some((part) => endings.some((end) => end.endsWith(part.toUpperCase())))
  if (number !== null && numbersOf(chosen).length > 0 && !hasNumber(chosen)) {
    const stated = account?.number ?? null
    const other = onlyOf(others.filter(hasNumber))
    misfits.push({ reason: 'number', stated, bankAccountId: other, rowCount: null })
  }
  const isCard = isOfCredit(account?.kind ?? null)
  if (isCard !== null && isCard !== isCredit(chosen)) {
    const stated = account?.kind ?? null
    const other = onlyOf(others.filter((one) => isCredit(one) === isCard))
    misfits.push({ reason: 'kind', stated, bankAccountId: other, rowCount: null })
  }
  const [most] = others.toSorted((a, b) => b.rowCount - a.rowCount)
  if (most && most.rowCount > chosen.rowCount && most.rowCount * 2 >= comparedCount) {
    const rowCount = BigInt(most.rowCount)
    misfits.push({ reason: 'rows', stated: null, bankAccountId: most.bankAccountId, rowCount })
  }
  return misfits
}

/** Returns endings of the account number: the mask, else those in files imported before. */
function numbersOf({ mask, stated }: FitCandidate): readonly string[] {
  return mask === null ? stated : [mask]
}

/** IBANs with two check digits at the end, which account numbers in OFX files lack. */
const keyedIban = /^((?:FR|MC|PT)\d{8}[\dA-Z]{11,})\d\d$/

/**
 * Returns the last four letters and digits of a file's account number, without letters behind it
 * (`EUR`) and the check digits at the end of some IBANs; null without a number.
 */
export function lastDigitsOf({ account }: Pick<ReceivedStatement, 'account'>): string | null {
  const number = plainNumber(account?.number ?? '')
  return number === null ? null : withoutEnd(number).slice(-4)
}

function withoutEnd(number: string): string {
  return number.replace(/\D+$/, '').replace(keyedIban, '$1')
}

/** Returns letters and digits of an account number; null for a text of fewer than four digits. */
function plainNumber(number: string): string | null {
  const plain = number.replaceAll(/[^\p{L}\d]/gu, '').toUpperCase()
  return plain.replaceAll(/\D/g, '').length < 4 ? null : plain
}

/** Returns whether an account kind is credit; null for unknown and unreliable kinds. */
function isOfCredit(kind: string | null): boolean | null {
  if (kind === 'card' || kind === 'ccard' || kind === 'creditline') return true
  // The kind "bank" of QIF is unreliable: many programs write it for cards, too.
  return kind === 'checking' || kind === 'savings' || kind === 'moneymrkt' ? false : null
}
