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
  /** IDs of those that have a payday. */
  paidIds: readonly string[]
  /** The envelopes of the bank account. */
  envelopes: readonly Envelope[]
}

/** Letters from which on a word says what an envelope is for. */
const lettersMin = 4

/**
 * Returns the cards on which more is owed than envelopes of the same words hold: "Card" is for
 * the bill of "Credit card". Empty for an account that pays none, as another one has the payday.
 */
export function findCardDebts<A extends Account>(
  bankAccountId: string,
  { accounts, paidIds, envelopes }: Household<A>,
): A[] {
  const own = accounts.find((one) => one.bankAccountId === bankAccountId)
  if (own?.accountType !== 'depository') return []
  if (paidIds.length > 0 && !paidIds.includes(bankAccountId)) return []
  return accounts.filter((card) => {
    if (card.accountType !== 'credit' || card.currency !== own.currency) return false
    const held = envelopes
      .filter(({ name }) => isSame(name, card.name))
      .reduce((sum, { currentAmount }) => sum + currentAmount, 0)
    return -card.currentBalance > held
  })
}

/** Returns whether two names share a word, also as a part of a longer one. */
function isSame(one: string, other: string): boolean {
  const [first, second] = [plainText(one), plainText(other)]
  return isPart(first, second) || isPart(second, first)
}

function isPart(text: string, of: string): boolean {
  const words = text.split(/[^\p{L}\p{N}]+/u).filter(({ length }) => length >= lettersMin)
  return words.some((word) => of.includes(word))
}
