import { parseAmount } from '../../format/amount-input.ts'
import type { Manner } from '../../format/currency.ts'
import { formatAmount } from '../../format/money.ts'
import { frameWords } from '../../words/frame.ts'

interface Wanted {
  manner: Manner
  /** Amount in minor units that the text gives as an example. */
  example: number
  /** Says that there is no amount, or another one than is wanted. */
  text: (said: Record<'example', string>) => string
}

/** Returns the fault of a typed amount that is refused: it cannot be read, or is not wanted. */
export function amountFault(typed: string, { manner, example, text }: Wanted): string {
  const isUnread = typed.trim() !== '' && parseAmount(typed, manner) === null
  return (isUnread ? frameWords.unreadAmount : text)({ example: formatAmount(example, manner) })
}
