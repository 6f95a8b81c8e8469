import type { Transaction } from '@coffer/client/types'

type Texts = Partial<
  Pick<Transaction, 'name' | 'originalName' | 'merchantName' | 'category' | 'notes'>
>

/** Words by which banks mark transfers between accounts of the same holder. */
const ownWords = [
  'umbuchung',
  'übertrag',
  'internal transfer',
  'transfer (?:from|to) (?:my )?(?:savings|checking|current)',
]
const own = new RegExp(`(?<!\\p{L})(?:${ownWords.join('|')})(?!\\p{L})`, 'iu')

/** Minimum length of an account name that is compared: shorter ones occur in other texts too. */
const nameMin = 5

/**
 * Guesses whether a deposit is a transfer from another account of the user: by the bank's category,
 * by words for transfers, or by the name of another account. The API does not link the two sides of
 * a transfer.
 */
export function isTransfer(transaction: Texts, accountNames: readonly string[]): boolean {
  const { name, originalName, merchantName, category } = transaction
  if (/^transfer/i.test(category ?? '')) return true
  const text = [name, originalName, merchantName].filter(Boolean).join(' ').toLowerCase()
  const names = accountNames.filter((one) => one.length >= nameMin)
  return own.test(text) || names.some((one) => text.includes(one.toLowerCase()))
}
