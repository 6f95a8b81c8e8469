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

/** The next ten paydays for the values of the form, so that the user can check them. */
export function NextDates({ pace, day, excludesWeekends }: Props) {
  const reader = useReader()
  if (pace === 'kept' || day === '') return null
  // Non-breaking spaces keep each day on one line.
  const whole = (one: string) => formatShortDay(one, reader).replaceAll(' ', '\u00a0')
  const days = nextPaydays(pace, { day, count: 10, excludesWeekends })
  return (
    <p className={rows.soft}>
      {words.nextDates} {days.map(whole).join(' · ')}
    </p>
  )
}
