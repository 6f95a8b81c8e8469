import { say } from '@coffer/kit/reasons/reasons'
import { readDay } from '@coffer/kit/values/day'
import { DateTime } from 'luxon'
import type { z } from 'zod'

/** Returns whether a text is a calendar day (2026-01-31) of the years 1900 to 2199. */
export function isDay(text: string): boolean {
  return readDay(text) !== null
}

/** Adds an issue if the text is no calendar day; a special text for one like 2026-02-30. */
export function requireDay(sent: string | undefined, context: z.RefinementCtx): void {
  if (sent === undefined || isDay(sent)) return
  context.addIssue(missingDay(sent) ?? say('NOT_DAY'))
}

/**
 * Returns the problem of a text that begins with a nonexistent day such as 2026-02-30; null
 * otherwise.
 */
export function missingDay(text: string): string | null {
  const [written] = /^\d{4}-\d\d-\d\d(?!\d)/.exec(text) ?? []
  const isMissing = written !== undefined && !DateTime.fromISO(written).isValid
  return isMissing ? say('NO_SUCH_DAY', { day: written }) : null
}
