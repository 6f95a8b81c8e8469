import type { Forecast, Spending } from '@coffer/client/types'

type Change = Forecast['events'][number]['spending'][number]
type Envelope = Pick<
  Spending,
  'spendingId' | 'name' | 'spendingType' | 'targetAmount' | 'usedAmount' | 'currentAmount'
> & { nextRecurrence: string }

/** An envelope into which its next payday moves another amount than later ones usually do. */
export interface Differing {
  name: string
  amount: number
  usual: number
  /** The amount in the envelope before the payday, of `needed`. */
  held: number
  /** The sum due before the payday after this one; otherwise the target, which paydays share. */
  needed: number
  isDueFirst: boolean
  /** Instant (RFC 3339) of the next due date. */
  due: string
  /** Number of paydays until `due`, with this one; null if the forecast ends before. */
  paydays: number | null
}

/** Share of the usual amount below which a difference is due to rounding. */
const sameShare = 0.01

/**
 * Returns the envelopes whose next payday differs from their usual one, by the date of the payday
 * in the forecast: they hold a part already, or have another number of paydays until they are due.
 */
export function firstPaydays(
  { events }: Pick<Forecast, 'events'>,
  spending: Envelope[],
): Map<string, Differing[]> {
  const found = new Map<string, Differing[]>()
  for (const envelope of spending) {
    const changes = events.flatMap((event) =>
      event.spending.filter(({ spendingId }) => spendingId === envelope.spendingId),
    )
    const differing = findDiffering(changes, envelope)
    if (differing === null) continue
    const { date, ...one } = differing
    found.set(date, [...(found.get(date) ?? []), one])
  }
  return found
}

function findDiffering(
  changes: Change[],
  { name, targetAmount, usedAmount, currentAmount, ...envelope }: Envelope,
): (Differing & { date: string }) | null {
  const fundings = changes.filter(({ funding }) => funding.length > 0)
  const [first, next] = fundings
  if (first === undefined || next === undefined) return null
  const { date, heldContribution: amount } = first
  const dues = changes.filter((one) => one.transactionAmount > 0 && one.date >= date)
  const due = dues[0]?.date
  // The other paydays until the due date share with the first one: those after it are usual.
  const others = fundings.filter((one) => one.date > (due ?? date) && one !== first)
  const usual = mostFrequent((others.length > 0 ? others : fundings.slice(1)).map(addedBy))
  if (usual === 0 || Math.abs(amount - usual) < usual * sameShare) return null
  const before = changes[changes.indexOf(first) - 1]
  const bills = dues.filter((one) => one.date < next.date).length
  const target = targetAmount - (envelope.spendingType === 'goal' ? usedAmount : 0)
  return {
    date,
    name,
    amount,
    usual,
    held: before?.heldAmount ?? currentAmount,
    needed: target * Math.max(bills, 1),
    isDueFirst: bills > 0,
    due: due ?? envelope.nextRecurrence,
    paydays: due === undefined ? null : fundings.filter((one) => one.date <= due).length,
  }
}

const addedBy = ({ heldContribution }: Change) => heldContribution

/** Returns the most frequent amount above 0, the smallest of several; 0 if there is none. */
function mostFrequent(amounts: number[]): number {
  const counts = new Map<number, number>()
  for (const one of amounts) if (one > 0) counts.set(one, (counts.get(one) ?? 0) + 1)
  const [[amount] = [0]] = [...counts].toSorted((a, b) => b[1] - a[1] || a[0] - b[0])
  return amount
}
