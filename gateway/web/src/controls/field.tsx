import {
  type ComponentProps,
  createContext,
  type MouseEvent,
  type ReactNode,
  useContext,
  useId,
  useState,
} from 'react'
import { frameWords } from '../words/frame.ts'
import styles from './field.module.css'

interface Labelled {
  label: string
  hint?: ReactNode
  /** Text of an error, shown in addition to the hint. */
  fault?: string | null | undefined
}

/** ARIA attributes that link a control to its hint and its error. */
interface Described {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
}

interface FieldProps extends Labelled {
  children: (described: Described) => ReactNode
}

/**
 * The last refusal of the surrounding form; null without one. Each refusal is a new object, so that
 * an equal refusal shows an error again that an edit had hidden.
 */
export const Refusal = createContext<object | null>(null)

/**
 * A label with its control, a hint, and the error of its value. An error from a refusal disappears
 * when the value changes.
 */
export function Field({ label, hint, fault: found, children }: FieldProps) {
  const id = useId()
  const refusal = useContext(Refusal)
  const [edited, setEdited] = useState<{ refusal: object | null; found: unknown } | null>(null)
  const isStale = refusal !== null && edited?.refusal === refusal && edited.found === found
  const fault = isStale ? null : found
  const describedBy = [hint ? `${id}-hint` : '', fault ? `${id}-fault` : ''].filter(Boolean)
  return (
    <div className={styles.field} onInput={() => setEdited({ refusal, found })}>
      <label htmlFor={id}>{label}</label>
      {hint && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
      {children({
        id,
        'aria-describedby': describedBy.join(' ') || undefined,
        'aria-invalid': fault ? true : undefined,
      })}
      {fault && (
        <p id={`${id}-fault`} className={styles.fault}>
          {fault}
        </p>
      )}
    </div>
  )
}

/** A single-line text field. */
export function TextField({ label, hint, fault, ...rest }: Labelled & ComponentProps<'input'>) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(described) => (
        <div className={styles.signed}>
          <input {...rest} {...described} className={styles.input} />
          {rest.inputMode === 'decimal' && <Signs />}
        </div>
      )}
    </Field>
  )
}

/** Buttons for characters that the number pad of a phone lacks: amounts may be calculations. */
function Signs() {
  return [
    ['+', frameWords.plus],
    ['-', frameWords.minus],
  ].map(([sign = '', name]) => (
    <button
      key={sign}
      type="button"
      aria-label={name}
      className={styles.sign}
      onClick={(event) => typeSign(event, sign)}
    >
      {sign.replace('-', '−')}
    </button>
  ))
}

function typeSign({ currentTarget }: MouseEvent<HTMLButtonElement>, sign: string): void {
  const input = currentTarget.parentElement?.querySelector('input')
  if (!input) return
  const { selectionStart, selectionEnd, value } = input
  input.setRangeText(sign, selectionStart ?? value.length, selectionEnd ?? value.length, 'end')
  input.dispatchEvent(new Event('input', { bubbles: true }))
  input.focus()
}

/** A multi-line text field. */
export function LinesField({ label, hint, fault, ...rest }: Labelled & ComponentProps<'textarea'>) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(described) => <textarea {...rest} {...described} className={styles.input} />}
    </Field>
  )
}

interface ChoiceProps extends Labelled, Omit<ComponentProps<'select'>, 'onChange'> {
  options: readonly { value: string; text: string }[]
  onChange?: (value: string) => void
}

/** A native select, because phones show it in their own way. */
export function ChoiceField({ label, hint, fault, options, onChange, ...rest }: ChoiceProps) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(described) => (
        <select
          {...rest}
          {...described}
          className={styles.input}
          onChange={(event) => onChange?.(event.target.value)}
        >
          {options.map(({ value, text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** A checkbox. */
export function CheckField({ label, ...rest }: { label: string } & ComponentProps<'input'>) {
  return (
    <label className={styles.check}>
      <input {...rest} type="checkbox" />
      {label}
    </label>
  )
}
