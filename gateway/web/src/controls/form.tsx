import { type FormEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Fault } from '../api/faults.ts'
import { faultWords } from '../words/faults.ts'
import { frameWords } from '../words/frame.ts'
import { Button } from './button.tsx'
import { leaveEntries, noteEntries } from './entries/entries.ts'
import { Refusal } from './field.tsx'
import styles from './form.module.css'

interface Props {
  children: ReactNode
  /** Text of the submit button. */
  action: string
  /** Whether submitting destroys something. */
  isDanger?: boolean
  isSending?: boolean
  fault?: Fault | null
  /** Validation errors of the form itself, by field. */
  problems?: Record<string, string>
  /** Receives the values of the form's controls by name. */
  onSubmit: (values: Record<string, string>) => void
  /** Runs when an entry changes. */
  onEdit?: () => void
  /** Closes the form by a button, after a confirmation if there are unsaved entries. */
  onCancel?: (() => void) | undefined
  /** Further buttons or links, beside the submit button. */
  others?: ReactNode
}

/**
 * A form. After an error the focus goes to the first invalid field, or to the banner if there is
 * none.
 */
export function Form({ children, action, isDanger = false, isSending = false, ...props }: Props) {
  const { fault, problems, onSubmit, onEdit, onCancel, others } = props
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (!fault && Object.keys(problems ?? {}).length === 0) return
    const find = (selector: string) => form.current?.querySelector<HTMLElement>(selector)
    const first = find('[aria-invalid]') ?? find('[role=alert]')
    first?.focus()
  }, [fault, problems])
  const [areShown, setShown] = useState(false)
  // The banner shows errors of fields that the form does not have. Errors with equal texts count
  // once: the server may report one at two fields of which one is enough.
  useLayoutEffect(() => {
    const named = new Set(Object.values(fault?.problems ?? {})).size
    const marked = form.current?.querySelectorAll('[aria-invalid]').length ?? 0
    setShown(named > 0 && marked >= named)
  }, [fault])
  useEffect(() => {
    const shown = form.current
    return () => {
      if (shown) noteEntries(shown, false)
    }
  }, [])
  /** The fault that was shown when the form was sent last: it is none of the sent entries. */
  const former = useRef<Fault | null>(null)
  // A refused form still has unsaved entries. During a retry a fault is shown too, but the entries
  // are being sent.
  useEffect(() => {
    if (!form.current || isSending) return
    const isRefused = fault && fault !== former.current
    if (isRefused || Object.keys(problems ?? {}).length > 0) noteEntries(form.current, true)
  }, [fault, problems, isSending])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isSending) return
    const entries = [...new FormData(event.currentTarget)]
    noteEntries(event.currentTarget, false)
    former.current = fault ?? null
    onSubmit(Object.fromEntries(entries.map(([name, value]) => [name, String(value)])))
  }
  const edit = (event: FormEvent<HTMLFormElement>) => {
    noteEntries(event.currentTarget, true)
    onEdit?.()
  }
  const isFaulty = Object.keys(problems ?? {}).length > 0
  return (
    <form ref={form} className={styles.form} onSubmit={submit} onInput={edit} noValidate>
      {fault && !areShown && <FaultBanner fault={fault} />}
      <Refusal value={isFaulty ? (problems ?? null) : (fault ?? null)}>{children}</Refusal>
      <div className={styles.actions}>
        <Button type="submit" kind={isDanger ? 'danger' : 'primary'} isBusy={isSending}>
          {action}
        </Button>
        {onCancel && (
          <Button onClick={() => leaveEntries(form.current, onCancel)}>{frameWords.cancel}</Button>
        )}
        {others}
      </div>
    </form>
  )
}

interface BannerProps {
  fault: Fault
  again?: () => void
  /** Text of the button that calls `again`. */
  action?: string
}

/** An error with the ID of the request, which administrators find in the logs. */
export function FaultBanner({ fault, again, action = faultWords.again }: BannerProps) {
  const named = Object.keys(fault.problems).length > 0
  return (
    <div role="alert" tabIndex={-1} className={styles.banner}>
      <p>{fault.text}</p>
      {named && <p>{[...new Set(Object.values(fault.problems))].join(' ')}</p>}
      {fault.requestId && fault.status !== null && fault.status >= 500 && (
        <p className={styles.request}>{faultWords.request({ id: fault.requestId })}</p>
      )}
      {again && <Button onClick={again}>{action}</Button>}
    </div>
  )
}
