import type { Forecast } from '../../api/forecast-queries.ts'

/**
 * Where an envelope stands at its next payday, in minor units: the amount that it gets, that of the
 * bills before, and what free to use has to pay of them.
 */
export interface Standing {
  contribution: number
  needed: number
  missing: number
}

/** Returns the standing of each envelope that gets money in a forecast, by its ID. */
export function standingsOf({ events }: Pick<Forecast, 'events'>): ReadonlyMap<string, Standing> {
  const standings = new Map<string, Standing>()
  const before = new Map<string, Pick<Standing, 'needed' | 'missing'>>()
  for (const event of events.flatMap(({ spending }) => spending)) {
    const { spendingId, funding, heldContribution: contribution, fromFreeAmount } = event
    if (standings.has(spendingId)) continue
    const { needed, missing } = before.get(spendingId) ?? { needed: 0, missing: 0 }
    if (funding.length > 0) {
      standings.set(spendingId, { contribution, needed, missing })
      continue
    }
    before.set(spendingId, {
      needed: needed + event.transactionAmount,
      missing: missing + fromFreeAmount,
    })
  }
  return standings
}
