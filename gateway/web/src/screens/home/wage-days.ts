import { dayAfter, daysBetween } from '../../format/days.ts'

/**
 * Days before a payday from which its wage is expected, and days after it during which its absence
 * is shown.
 */
const days = { early: 4, missed: 10 }

/**
 * Returns the day from which the wage of the last payday is looked for; null if its absence is not
 * shown: `after` days after the payday until ten days after it.
 */
export function wageFrom(payday: string | null, today: string, after: number): string | null {
  if (payday === null) return null
  const passed = daysBetween(payday, today)
  return passed >= after && passed <= days.missed ? dayAfter(payday, -days.early) : null
}
