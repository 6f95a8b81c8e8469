import { CalendarDays } from 'lucide-react'
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { type DayReading, dayText, parseDay } from '../../format/day-input.ts'
import { formatDay } from '../../format/days.ts'
import { dayWords as words } from '../../words/days.ts'
import { Button } from '../button.tsx'
import fields from '../field.module.css'
import { Field, TextField } from '../field.tsx'
import styles from './day-field.module.css'

interface Props {
  label: string
  hint?: ReactNode
  fault?: string | null | undefined
  /** Name of the form field. Its value is the day as `2026-11-20`, or empty. */
  name?: string
  defaultValue?: string
  /** The day, if the parent controls the field. */
  value?: string
  /** First day that the calendar offers. */
  min?: string
  reading: DayReading
  /** Runs with a new day when it is chosen, or when the typing pauses or ends; empty for no day. */
  onChange?: (day: string) => void
}

/** Debounce of typing in ms, after which a typed day counts. */
const pauseMs = 500

/** On touch screens the calendar of the system is used. */
const coarse = matchMedia('(pointer: coarse)')

/** A day, typed as people write it or chosen from a calendar. A typed day is repeated in words. */
export function DayField({ reading, onChange, ...props }: Props) {
  if (!coarse.matches) return <TypedDay reading={reading} onChange={onChange} {...props} />
  const change = onChange && ((day: string) => onChange(day))
  return <TextField {...props} type="date" onChange={({ target }) => change?.(target.value)} />
}

function TypedDay({ label, hint, fault, name, min, reading, onChange, ...days }: Props) {
  const { value, defaultValue = '' } = days
  const first = value ?? defaultValue
  const [sent, setSent] = useState(first)
  const [text, setText] = useState(dayText(first, reading.locale))
  const [isLeft, setLeft] = useState(false)
  const picker = useRef<HTMLInputElement>(null)
  if (value !== undefined && value !== sent) {
    setSent(value)
    setText(dayText(value, reading.locale))
  }
  const day = parseDay(text, reading) ?? ''
  const isPlain = text.trim() === '' || text === dayText(day, reading.locale)
  const isUnread = text.trim() !== '' && day === ''
  const tell = (next: string) => {
    if (next === sent) return
    setSent(next)
    onChange?.(next)
  }
  const send = (next: string) => {
    setLeft(true)
    if (next !== '') setText(dayText(next, reading.locale))
    tell(next)
  }
  useAfterPause(day, tell)
  const unread =
    isLeft && isUnread ? words.unread({ example: dayText(reading.today, reading.locale) }) : null
  return (
    <Field label={label} hint={hint} fault={unread ?? fault}>
      {(described) => (
        <div className={styles.field}>
          <input
            {...described}
            type="text"
            autoComplete="off"
            className={fields.input}
            value={text}
            onChange={({ target }) => {
              setText(target.value)
              setLeft(false)
            }}
            onBlur={() => send(day)}
            onKeyDown={({ key }) => key === 'Enter' && send(day)}
          />
          <Button
            kind="quiet"
            aria-label={words.calendar({ label })}
            onClick={() => show(picker.current)}
          >
            <CalendarDays size={18} aria-hidden />
          </Button>
          <input
            ref={picker}
            type="date"
            aria-hidden
            tabIndex={-1}
            className={styles.picker}
            min={min}
            value={day}
            onChange={({ target }) => send(target.value)}
          />
          {name && <input type="hidden" name={name} value={day} />}
          <p role="status" className={styles.read}>
            {!isPlain && day !== '' && formatDay(day, reading)}
          </p>
        </div>
      )}
    </Field>
  )
}

/** Debounces the callback of a typed day, without changing the typed text. */
function useAfterPause(day: string, tell: (day: string) => void): void {
  const tellLatest = useEffectEvent(() => tell(day))
  useEffect(() => {
    if (day === '') return
    const timer = setTimeout(tellLatest, pauseMs)
    return () => clearTimeout(timer)
  }, [day])
}

function show(picker: HTMLInputElement | null): void {
  try {
    picker?.showPicker()
  } catch {
    // Browsers may refuse to open the calendar: the day can still be typed.
  }
}
