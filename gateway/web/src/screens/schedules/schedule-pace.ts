import { type Repeat, repeatOf, rulesetOf, twiceMonthly } from '../../format/recurrence.ts'

/** How often a payday comes, as the form offers it. */
export type Pace = Repeat | 'twice-monthly'

/** Returns the word for the rule of a payday; null for one that no word says. */
export function paceOf(ruleset: string): Pace | null {
  if (/FREQ=MONTHLY;(INTERVAL=1;)?BYMONTHDAY=15,-1$/.test(ruleset)) return 'twice-monthly'
  return repeatOf(ruleset)
}

/** Returns the rule (RFC 5545) of paydays that begin on a day. */
export function paydaysOf(pace: Pace, from: { day: string; start: string }): string {
  return pace === 'twice-monthly' ? twiceMonthly(from.start) : rulesetOf(pace, from)
}
