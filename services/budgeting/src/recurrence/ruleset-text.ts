import { type Rule, renderTime, weekdayNames } from '@coffer/kit/values/ruleset'

/** Returns the normalised text of a rule; equal rules have equal texts. */
export function renderRuleset(rule: Rule): string {
  const parts: [string, string | number | null][] = [
    ['FREQ', rule.frequency],
    ['INTERVAL', rule.interval],
    ['WKST', rule.weekStart === 0 ? null : (weekdayNames[rule.weekStart] as string)],
    ['COUNT', rule.count],
    ['UNTIL', rule.until === null ? null : renderTime(rule.until)],
    ['BYSETPOS', rule.positions.join(',')],
    ['BYMONTH', rule.months.join(',')],
    ['BYMONTHDAY', rule.monthDays.join(',')],
    ['BYYEARDAY', rule.yearDays.join(',')],
    ['BYWEEKNO', rule.weeks.join(',')],
    ['BYDAY', rule.weekdays.map((day) => `${day.nth ?? ''}${weekdayNames[day.weekday]}`).join(',')],
  ]
  const present = parts.filter(([, value]) => value !== null && value !== '')
  return [
    rule.startText,
    `RRULE:${present.map(([name, value]) => `${name}=${value}`).join(';')}`,
    ...rule.added.map((at) => `RDATE:${renderTime(at)}`),
    ...rule.removed.map((at) => `EXDATE:${renderTime(at)}`),
  ].join('\n')
}
