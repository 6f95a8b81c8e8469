import { useState } from 'react'
import { Button } from '../../controls/button.tsx'
import fieldStyles from '../../controls/field.module.css'
import { Field } from '../../controls/field.tsx'
import { signInWords } from '../../words/sign-in.ts'
import styles from './password-field.module.css'

interface Props {
  name?: string
  label?: string
  hint?: string
  fault?: string | undefined
  /** Tells password managers whether to fill in a known password, or to propose one. */
  autoComplete: 'current-password' | 'new-password'
}

/** A password, which its person may show. */
export function PasswordField({ name = 'password', label, hint, fault, autoComplete }: Props) {
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
