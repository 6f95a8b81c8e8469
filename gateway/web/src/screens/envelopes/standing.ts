import type { Forecast } from '../../api/forecast-queries.ts'

/**
 * Where an envelope stands at its next payday: the amount that it gets, in minor units, that of the
 * bills before, and whether free to use has to pay a part of them.
 */
export interface Standing {
  contribution: number
  needed: number
  isShort: boolean
}

/** Returns the standing of each envelope that gets money in a forecast, by its ID. */
export function standingsOf({ events }: Pick<Forecast, 'events'>): ReadonlyMap<string, Standing> {
  const standings = new Map<string, Standing>()
  const needs = new Map<string, number>()
  const short = new Set<string>()
  for (const event of events.flatMap(({ spending }) => spending)) {
    const { spendingId, funding, heldContribution: contribution, fromFreeAmount } = event
    if (standings.has(spendingId)) continue
    const needed = needs.get(spendingId) ?? 0
    if (funding.length > 0) {
      standings.set(spendingId, { contribution, needed, isShort: short.has(spendingId) })
      continue
    }
    needs.set(spendingId, needed + event.transactionAmount)
    if (fromFreeAmount > 0) short.add(spendingId)
  }
  return standings
}
