import { type ComponentProps, useState } from 'react'
import { echoedAmount } from '../../format/amount-input.ts'
import type { Manner } from '../../format/currency.ts'
import { formatMoney } from '../../format/money.ts'
import { usePreferences } from '../../preferences/preferences.ts'
import { frameWords } from '../../words/frame.ts'
import { TextField } from '../field.tsx'
import { amountHint } from './amount-fault.ts'
import styles from './amount-field.module.css'

interface Props extends ComponentProps<typeof TextField> {
  manner: Manner
}

/**
 * A field for an amount or a calculation, as its hint says unless it has another one. The result,
 * or an amount that might be read otherwise, is shown below, and announced to screen readers. If
 * the user hides amounts, the field hides its own until it gets the focus.
 */
export function AmountField({
  manner,
  hint = amountHint(manner),
  value,
  defaultValue = '',
  name,
  onChange,
  ...props
}: Props) {
  const { areAmountsHidden } = usePreferences()
  const [typed, setTyped] = useState<string | null>(null)
  const [isShown, setShown] = useState(false)
  const text = String(value ?? typed ?? defaultValue)
  const isHidden = areAmountsHidden && !isShown && text !== ''
  const result = isHidden ? null : echoedAmount(text, manner)
  return (
    <div>
      <TextField
        {...props}
        name={isHidden ? undefined : name}
        value={isHidden ? frameWords.hidden : text}
        hint={hint}
        inputMode="decimal"
        autoComplete="off"
        onFocus={() => setShown(true)}
        onChange={(event) => {
          // The button of a sign changes the text without the focus.
          setShown(true)
          if (isHidden) return
          setTyped(event.target.value)
          onChange?.(event)
        }}
      />
      {isHidden && name && <input type="hidden" name={name} value={text} />}
      <output className={styles.result}>
        {result !== null && `= ${formatMoney(result, manner)}`}
      </output>
    </div>
  )
}
