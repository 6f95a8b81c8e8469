import type { Spending } from '../../api/budget-queries.ts'
import type { Forecast } from '../../api/forecast-queries.ts'
import type { Point } from './chart-scale.ts'

/** The line of an envelope in the chart. */
export interface EnvelopeLine {
  spendingId: string
  name: string
  points: Point[]
}

/** Returns the lines of the chosen envelopes, each from its current amount. */
export function envelopeLines(
  { startingTime, events }: Forecast,
  chosen: Pick<Spending, 'spendingId' | 'name' | 'currentAmount'>[],
): EnvelopeLine[] {
  return chosen.map(({ spendingId, name, currentAmount }) => {
    const later = events.flatMap(({ spending }) =>
      spending
        .filter((one) => one.spendingId === spendingId)
        .map(({ date, heldAmount }) => ({ at: Date.parse(date), amount: heldAmount })),
    )
    const first = { at: Date.parse(startingTime), amount: currentAmount }
    return { spendingId, name, points: [first, ...later] }
  })
}

/** Returns the amount of a line at an instant. */
export function amountAt(points: Point[], at: number): number {
  return points.findLast((one) => one.at <= at)?.amount ?? points[0]?.amount ?? 0
}
