import type { ComponentProps } from 'react'
import styles from './button.module.css'

interface Props extends ComponentProps<'button'> {
  kind?: 'primary' | 'plain' | 'quiet' | 'danger'
  /** Whether its work is under way: it then does nothing, but keeps the focus. */
  isBusy?: boolean
}

/** A button. It submits no form unless its type says so. */
export function Button({ kind = 'plain', isBusy = false, onClick, className, ...rest }: Props) {
  return (
    <button
      type="button"
      {...rest}
      className={[styles.button, styles[kind], className].filter(Boolean).join(' ')}
      aria-disabled={isBusy || undefined}
      aria-busy={isBusy || undefined}
      onClick={(event) => {
        if (isBusy) event.preventDefault()
        else onClick?.(event)
      }}
    />
  )
}
