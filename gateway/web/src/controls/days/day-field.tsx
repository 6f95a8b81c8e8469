import { CalendarDays } from 'lucide-react'
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { type DayReading, dayText, parseDay } from '../../format/day-input.ts'
import { formatDay, formatDistance } from '../../format/days.ts'
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
  /**
   * Text for a future day and its distance from today, below a typed day. If it is given, also
   * below a day that is chosen on a touch screen.
   */
  ahead?: (said: Record<'day' | 'distance', string>) => string
  /** Runs with a new day when it is chosen, or when the typing pauses or ends; empty for no day. */
  onChange?: (day: string) => void
}

/** Debounce of typing in ms, after which a typed day counts. */
const pauseMs = 500

/** On touch screens the calendar of the system is used. */
const coarse = matchMedia('(pointer: coarse)')

/** A day, typed as people write it or chosen from a calendar. A typed day is repeated in words. */
export function DayField(props: Props) {
  return coarse.matches ? <ChosenDay {...props} /> : <TypedDay {...props} />
}

function ChosenDay({ reading, ahead, onChange, ...props }: Props) {
  const { hint, value, defaultValue = '' } = props
  const [chosen, setChosen] = useState(defaultValue)
  const day = value ?? chosen
  return (
    <TextField
      {...props}
      hint={ahead && day > reading.today ? sayDay(day, reading, ahead) : hint}
      type="date"
      onChange={({ target }) => {
        setChosen(target.value)
        onChange?.(target.value)
      }}
    />
  )
}

function TypedDay({ label, hint, fault, name, min, reading, ahead, onChange, ...days }: Props) {
  const { value, defaultValue = '' } = days
  const first = value ?? defaultValue
  const [sent, setSent] = useState(first)
  const [text, setText] = useState(dayText(first, reading.locale))
  const [isLeft, setLeft] = useState(false)
  const [isEdited, setEdited] = useState(false)
  if (value !== undefined && value !== sent) {
    setSent(value)
    setText(dayText(value, reading.locale))
  }
  const day = parseDay(text, reading) ?? ''
  const isUnread = text.trim() !== '' && day === ''
  const tell = (next: string) => {
    if (next === sent) return
    setSent(next)
    onChange?.(next)
  }
  const send = (next: string) => {
    setLeft(true)
    if (next !== first) setEdited(true)
    if (next !== '') setText(dayText(next, reading.locale))
    tell(next)
  }
  useAfterPause(day, tell)
  const unread =
    isLeft && isUnread ? words.unread({ example: dayText(reading.today, reading.locale) }) : null
  // When the field loses the focus, the line below it stays, or becomes that of the error: a line
  // that appeared or went while the mouse is pressed would move the clicked button away.
  const isSaid = isEdited && text.trim() !== '' && unread === null
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
              setEdited(true)
              setLeft(false)
            }}
            onBlur={() => send(day)}
            onKeyDown={({ key }) => key === 'Enter' && send(day)}
          />
          <Calendar label={label} min={min} day={day} onChoose={send} />
          {name && <input type="hidden" name={name} value={day} />}
          <p role="status" className={styles.read}>
            {isSaid && (day === '' ? '\u00a0' : sayDay(day, reading, ahead))}
          </p>
        </div>
      )}
    </Field>
  )
}

interface CalendarProps extends Pick<Props, 'label' | 'min'> {
  day: string
  onChoose: (day: string) => void
}

/** A button that opens the calendar of the browser. */
function Calendar({ label, min, day, onChoose }: CalendarProps) {
  const picker = useRef<HTMLInputElement>(null)
  return (
    <>
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
        onChange={({ target }) => onChoose(target.value)}
      />
    </>
  )
}

/** Returns a day in words, and how far ahead it is. */
function sayDay(day: string, reading: DayReading, ahead: Props['ahead'] = words.ahead): string {
  const said = formatDay(day, reading)
  if (day <= reading.today) return said
  return ahead({ day: said, distance: formatDistance(day, reading) })
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
