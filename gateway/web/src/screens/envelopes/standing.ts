import type { Spending } from '../../api/budget-queries.ts'
import type { Forecast } from '../../api/forecast-queries.ts'
import { isEveryday } from '../../controls/assignments/everyday.ts'

/**
 * Amounts of an envelope at its next payday, in minor units: what it gets, the cost of the bills
 * before, and the part of that cost that free-to-use has to pay.
 */
export interface Standing {
  contribution: number
  needed: number
  missing: number
}

/** Returns the standing of each envelope that gets money in a forecast, by envelope ID. */
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

/**
 * Returns the amount that an envelope that is behind lacks for its bills before its next payday, in
 * minor units; 0 for any other, and for an everyday envelope, which has no bill.
 */
export function fillUpOf(
  spending: Spending,
  standings: ReadonlyMap<string, Standing> | undefined,
): number {
  const { spendingId, isPaused, isBehind } = spending
  if (isPaused || !isBehind || isEveryday(spending)) return 0
  return standings?.get(spendingId)?.missing ?? 0
}
