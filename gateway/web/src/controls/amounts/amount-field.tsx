import { type ComponentProps, useState } from 'react'
import { echoedAmount } from '../../format/amount-input.ts'
import type { Manner } from '../../format/currency.ts'
import { formatMoney } from '../../format/money.ts'
import { TextField } from '../field.tsx'
import { amountHint } from './amount-fault.ts'
import styles from './amount-field.module.css'

interface Props extends ComponentProps<typeof TextField> {
  manner: Manner
}

/**
 * A field for an amount or a calculation, as its hint says unless it has another one. The result,
 * or an amount that might be read otherwise, is shown below, and announced to screen readers.
 */
export function AmountField({ manner, hint = amountHint(manner), onChange, ...props }: Props) {
  const [typed, setTyped] = useState('')
  const result = echoedAmount(String(props.value ?? typed), manner)
  return (
    <div>
      <TextField
        {...props}
        hint={hint}
        inputMode="decimal"
        autoComplete="off"
        onChange={(event) => {
          setTyped(event.target.value)
          onChange?.(event)
        }}
      />
      <output className={styles.result}>
        {result !== null && `= ${formatMoney(result, manner)}`}
      </output>
    </div>
  )
}
