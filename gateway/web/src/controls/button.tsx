import type { ComponentProps } from 'react'
import styles from './button.module.css'

interface Props extends ComponentProps<'button'> {
  kind?: 'primary' | 'plain' | 'quiet' | 'danger'
  /** Whether its action is running: clicks are ignored, but it keeps the focus. */
  isBusy?: boolean
  /** Whether it has nothing to do now: clicks are ignored, but it keeps the focus. */
  isIdle?: boolean
}

/** A button. Its default type is `button`, so it submits no form. */
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
