/** Recurrences that have a name in the app. */
export type Repeat = 'weekly' | 'biweekly' | 'monthly' | 'quarterly' | 'halfYearly' | 'yearly'

/** Names of weekdays in rules, from Sunday. */
export const weekdays = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']

const frequencies: Record<Repeat, { frequency: string; interval: number }> = {
  weekly: { frequency: 'WEEKLY', interval: 1 },
  biweekly: { frequency: 'WEEKLY', interval: 2 },
  monthly: { frequency: 'MONTHLY', interval: 1 },
  quarterly: { frequency: 'MONTHLY', interval: 3 },
  halfYearly: { frequency: 'MONTHLY', interval: 6 },
  yearly: { frequency: 'YEARLY', interval: 1 },
}

/**
 * Returns a recurrence rule (RFC 5545) that begins on a day. `start` is the first instant of the
 * day in the account's timezone. A month without the day uses its last day.
 */
export function rulesetOf(repeat: Repeat, { day, start }: { day: string; start: string }): string {
  const { frequency, interval } = frequencies[repeat]
  const [, month = 1, date = 1] = day.split('-').map(Number)
  const weekday = weekdays[new Date(`${day}T00:00:00Z`).getUTCDay()]
  const on = {
    WEEKLY: `BYDAY=${weekday}`,
    MONTHLY: `BYMONTHDAY=${lateDays[date] ?? date}`,
    YEARLY: `BYMONTH=${month};BYMONTHDAY=${month === 2 && date === 29 ? -1 : date}`,
  }[frequency]
  const begin = start.replace(/\.\d+/, '').replaceAll(/[-:]/g, '')
  return `DTSTART:${begin}\nRRULE:FREQ=${frequency};INTERVAL=${interval};${on}`
}

/**
 * BYMONTHDAY of a monthly rule that starts on the 29th, 30th or 31st. In a shorter month the rule
 * falls on the last day: BYSETPOS=-1 selects the last listed day that the month has.
 */
const lateDays: Record<number, string> = {
  29: '28,29;BYSETPOS=-1',
  30: '28,29,30;BYSETPOS=-1',
  31: '-1',
}

/** Returns the rule for paydays on the 15th and the last day of each month. */
export function twiceMonthly(start: string): string {
  const begin = start.replace(/\.\d+/, '').replaceAll(/[-:]/g, '')
  return `DTSTART:${begin}\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=15,-1`
}

/**
 * RRULE parts besides FREQ and INTERVAL, in alphabetical order, that a named recurrence may have.
 */
const plainParts: Record<string, RegExp> = {
  WEEKLY: /^(BYDAY=\w\w)?$/,
  MONTHLY: /^(BYMONTHDAY=(-?\d+|28,29(,30)?;BYSETPOS=-1))?$/,
  YEARLY: /^(BYMONTH=\d+)?(;BYMONTHDAY=-?\d+)?$/,
}

/** Returns the name of a recurrence; null for other rules, such as one with an end. */
export function repeatOf(ruleset: string): Repeat | null {
  const parts = /RRULE:(.*)/.exec(ruleset)?.[1]?.split(';') ?? []
  const [, frequency = ''] = /FREQ=(\w+)/.exec(ruleset) ?? []
  const interval = Number(/INTERVAL=(\d+)/.exec(ruleset)?.[1] ?? 1)
  // Sorted as `plainParts` expects, because the server returns the parts in another order.
  const further = parts.filter((part) => !/^(FREQ|INTERVAL|WKST)=/.test(part)).sort()
  const isPlain = plainParts[frequency]?.test(further.join(';')) && !/[RX]DATE/.test(ruleset)
  const found = Object.entries(frequencies).find(([, one]) => {
    return one.frequency === frequency && one.interval === interval
  })
  return isPlain && found !== undefined ? (found[0] as Repeat) : null
}
