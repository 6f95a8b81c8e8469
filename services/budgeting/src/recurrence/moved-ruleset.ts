import { movedTo } from '@coffer/kit/values/day'
import { readRuleset, renderTime } from '@coffer/kit/values/ruleset'
import { toLocal } from '@coffer/kit/values/time'
import { renderRuleset } from './ruleset-text.ts'

/**
 * Returns a stored ruleset whose occurrences in the timezone `to` are on the days, and at the
 * times, of the former ones in `from`: DTSTART, UNTIL, RDATE and EXDATE keep their wall-clock time.
 */
export function movedRuleset(ruleset: string, zones: { from: string; to: string }): string {
  const read = readRuleset(ruleset)
  if ('problem' in read) throw new RangeError(`ruleset ${read.problem}`)
  const { rule } = read
  const moved = (ms: number) => movedTo(new Date(ms), zones).getTime()
  const start = moved(rule.start)
  const isZoned = rule.startText.startsWith('DTSTART;')
  const local = renderTime(toLocal(start, zones.to)).slice(0, -1)
  return renderRuleset({
    ...rule,
    start,
    startText: isZoned ? `DTSTART;TZID=${zones.to}:${local}` : `DTSTART:${renderTime(start)}`,
    until: rule.until === null ? null : moved(rule.until),
    added: rule.added.map(moved),
    removed: rule.removed.map(moved),
  })
}
