import type { BankAccount } from '../../api/account-queries.ts'
import type { Spending } from '../../api/budget-queries.ts'
import { plainText } from '../../format/plain-text.ts'

type Account = Pick<
  BankAccount,
  'bankAccountId' | 'accountType' | 'currency' | 'currentBalance' | 'name'
>
type Envelope = Pick<Spending, 'name' | 'currentAmount'>

interface Household<A> {
  /** All bank accounts. */
  accounts: readonly A[]
  /** IDs of the bank accounts with a payday. */
  paidIds: readonly string[]
  envelopes: readonly Envelope[]
}

/** Minimum length of a word for the comparison of two names. */
const lettersMin = 4

/** A card and its debt, of which envelopes hold `held`; minor units. */
interface Debt<A> {
  card: A
  owed: number
  held: number
}

/**
 * Returns the credit cards with more debt than the envelopes of a similar name hold: an envelope
 * "Card" is for the bill of "Credit card". Empty unless the account is a deposit account; also
 * empty if it has no payday but another account has one.
 */
export function findCardDebts<A extends Account>(
  bankAccountId: string,
  { accounts, paidIds, envelopes }: Household<A>,
): Debt<A>[] {
  const own = accounts.find((one) => one.bankAccountId === bankAccountId)
  if (own?.accountType !== 'depository') return []
  if (paidIds.length > 0 && !paidIds.includes(bankAccountId)) return []
  return accounts.flatMap((card) => {
    if (card.accountType !== 'credit' || card.currency !== own.currency) return []
    const held = envelopes
      .filter(({ name }) => isSame(name, card.name))
      .reduce((sum, { currentAmount }) => sum + currentAmount, 0)
    const owed = -card.currentBalance
    return owed > held ? { card, owed, held } : []
  })
}

/** Returns whether two names share a word, even as a part of a longer word. */
function isSame(one: string, other: string): boolean {
  const [first, second] = [plainText(one), plainText(other)]
  return isPart(first, second) || isPart(second, first)
}

function isPart(text: string, of: string): boolean {
  const words = text.split(/[^\p{L}\p{N}]+/u).filter(({ length }) => length >= lettersMin)
  return words.some((word) => of.includes(word))
}
