import type { Forecast } from '../../api/forecast-queries.ts'

/**
 * Where an envelope stands at its next payday: the amount that it gets, in minor units, and whether
 * free to use has to pay a part of the bills before.
 */
export interface Standing {
  contribution: number
  isShort: boolean
}

/** Returns the standing of each envelope that gets money in a forecast, by its ID. */
export function standingsOf({ events }: Pick<Forecast, 'events'>): ReadonlyMap<string, Standing> {
  const standings = new Map<string, Standing>()
  const short = new Set<string>()
  for (const event of events.flatMap(({ spending }) => spending)) {
    const { spendingId, funding, heldContribution, fromFreeAmount } = event
    if (standings.has(spendingId)) continue
    if (funding.length > 0) {
      standings.set(spendingId, { contribution: heldContribution, isShort: short.has(spendingId) })
    } else if (fromFreeAmount > 0) {
      short.add(spendingId)
    }
  }
  return standings
}
