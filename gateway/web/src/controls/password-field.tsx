import { type ComponentProps, useState } from 'react'
import { signInWords } from '../words/sign-in.ts'
import { Button } from './button.tsx'
import fieldStyles from './field.module.css'
import { Field, TextField } from './field.tsx'
import styles from './password-field.module.css'

interface Props {
  name?: string
  label?: string
  hint?: string
  fault?: string | undefined
  /** Tells password managers to fill in the current password or to generate a new one. */
  autoComplete: 'current-password' | 'new-password'
  onChange?: (text: string) => void
}

/** A password field whose text the user can show. */
export function PasswordField({ name = 'password', label, hint, fault, ...props }: Props) {
  const { autoComplete, onChange } = props
  const [isShown, setShown] = useState(false)
  return (
    <Field label={label ?? signInWords.password} hint={hint} fault={fault}>
      {(described) => (
        <div className={styles.row}>
          <input
            {...described}
            className={fieldStyles.input}
            type={isShown ? 'text' : 'password'}
            name={name}
            autoComplete={autoComplete}
            autoCapitalize="none"
            spellCheck={false}
            onChange={(event) => onChange?.(event.target.value)}
            required
          />
          <Button kind="quiet" onClick={() => setShown(!isShown)}>
            {isShown ? signInWords.hidePassword : signInWords.showPassword}
          </Button>
        </div>
      )}
    </Field>
  )
}

type CodeProps = Pick<ComponentProps<typeof TextField>, 'fault' | 'inputMode' | 'ref'> & {
  label?: string
}

/**
 * A field for a one-time code. It is always required: a form shows it only when it needs a code.
 * Without `inputMode` phones show letters too, which recovery codes have.
 */
export function CodeField({ label = signInWords.code, ...rest }: CodeProps) {
  return (
    <TextField
      {...rest}
      label={label}
      name="totp"
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
      required
    />
  )
}
