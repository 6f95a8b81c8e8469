import type { ComponentProps } from 'react'
import styles from './button.module.css'

interface Props extends ComponentProps<'button'> {
  kind?: 'primary' | 'plain' | 'quiet' | 'danger'
  /** Whether its work is under way: it then does nothing, but keeps the focus. */
  isBusy?: boolean
  /** Whether there is nothing for it to do: it keeps the focus too. */
  isIdle?: boolean
}

/** A button. It submits no form unless its type says so. */
export function Button({ kind = 'plain', isBusy = false, isIdle = false, ...props }: Props) {
  const { onClick, className, ...rest } = props
  return (
    <button
      type="button"
      {...rest}
      className={[styles.button, styles[kind], className].filter(Boolean).join(' ')}
      aria-disabled={isBusy || isIdle || undefined}
      aria-busy={isBusy || undefined}
      onClick={(event) => {
        if (isBusy || isIdle) event.preventDefault()
        else onClick?.(event)
      }}
    />
  )
}
