import { parseAmount } from '../../format/amount-input.ts'
import type { Manner } from '../../format/currency.ts'
import { formatAmount } from '../../format/money.ts'
import { frameWords } from '../../words/frame.ts'

/** Returns the hint of a field that an amount may be a calculation. */
export function amountHint(manner: Manner): string {
  return frameWords.amountHint({ example: formatAmount(1_250, manner) })
}

interface Wanted {
  manner: Manner
  /** Amount in minor units that the text gives as an example. */
  example: number
  /** Text for a missing amount, and for one that the field does not accept. */
  text: (said: Record<'example', string>) => string
}

/** Returns the fault of a refused entry: no amount can be parsed from it, or `text` applies. */
export function amountFault(typed: string, { manner, example, text }: Wanted): string {
  const isUnread = typed.trim() !== '' && parseAmount(typed, manner) === null
  return (isUnread ? frameWords.unreadAmount : text)({ example: formatAmount(example, manner) })
}
