import { useState } from 'react'
import rows from '../../controls/rows.module.css'
import { formatShortDay } from '../../format/days.ts'
import { useReader } from '../../shell/chosen-account.ts'
import { scheduleWords as words } from '../../words/schedules.ts'
import { nextPaydays, type Pace } from './schedule-pace.ts'

interface Props {
  pace: Pace | 'kept'
  day: string
  excludesWeekends: boolean
}

/**
 * The next ten paydays for the values of the form, so that the user can check them. While the day
 * is unreadable, they keep their place: a button below that moved would lose a click on it.
 */
export function NextDates({ pace, day, excludesWeekends }: Props) {
  const reader = useReader()
  const [read, setRead] = useState(day)
  if (day !== '' && day !== read) setRead(day)
  if (pace === 'kept' || read === '') return null
  // Non-breaking spaces keep each day on one line.
  const whole = (one: string) => formatShortDay(one, reader).replaceAll(' ', '\u00a0')
  const days = nextPaydays(pace, { day: read, count: 10, excludesWeekends })
  return (
    <p className={rows.soft} style={{ visibility: day === '' ? 'hidden' : undefined }}>
      {words.nextDates} {days.map(whole).join(' · ')}
    </p>
  )
}
