import type { Transaction } from '@coffer/client/types'

type Texts = Partial<
  Pick<Transaction, 'name' | 'originalName' | 'merchantName' | 'category' | 'notes'>
>

/** Words of banks for money that goes between accounts of one person. */
const ownWords = [
  'umbuchung',
  'übertrag',
  'internal transfer',
  'transfer (?:from|to) (?:my )?(?:savings|checking|current)',
]
const own = new RegExp(`(?<!\\p{L})(?:${ownWords.join('|')})(?!\\p{L})`, 'iu')

/** Shorter names of accounts are words of other texts too. */
const nameMin = 5

/**
 * Returns whether money came from another account of the person, as far as texts tell: the category
 * of the bank, a word for it, or the name of the other account. The API joins no two transactions.
 */
export function isTransfer(transaction: Texts, accountNames: readonly string[]): boolean {
  const { name, originalName, merchantName, category } = transaction
  if (/^transfer/i.test(category ?? '')) return true
  const text = [name, originalName, merchantName].filter(Boolean).join(' ').toLowerCase()
  const names = accountNames.filter((one) => one.length >= nameMin)
  return own.test(text) || names.some((one) => text.includes(one.toLowerCase()))
}
