import { Link } from '@tanstack/react-router'
import type { Spending } from '../../api/budget-queries.ts'
import { Amount } from '../../controls/amount.tsx'
import { isEveryday } from '../../controls/assignments/everyday.ts'
import { Card } from '../../controls/screen.tsx'
import tables from '../../controls/tables/table.module.css'
import { dayOf, formatShortDay } from '../../format/days.ts'
import { type Reader, useManner, useReader } from '../../shell/chosen-account.ts'
import { envelopeWords as words } from '../../words/envelopes.ts'
import { useBehind, useContributions } from './contribution.ts'
import { isAwaited, isLate, isPaidToday } from './due-text.ts'
import { usePaidLate } from './paid-late.ts'

interface Props {
  bankAccountId: string
  spending: Spending[]
}

/** Table of all envelopes with their sums, the next due date first. */
export function EnvelopeTable({ bankAccountId, spending }: Props) {
  const manner = useManner(bankAccountId)
  const contributionOf = useContributions(bankAccountId)
  const figures = [words.held, words.needed, words.next]
  const sums = [
    spending.reduce((sum, { currentAmount }) => sum + currentAmount, 0),
    spending.reduce((sum, { targetAmount }) => sum + targetAmount, 0),
    spending.reduce((sum, one) => sum + contributionOf(one), 0),
  ]
  return (
    <Card>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll it sideways */}
      <section className={tables.scroll} tabIndex={0} aria-label={words.title}>
        <table className={tables.table}>
          <thead>
            <tr>
              {[words.name, words.kind, words.day, words.state].map((text) => (
                <th key={text} scope="col">
                  {text}
                </th>
              ))}
              {figures.map((text) => (
                <th key={text} scope="col" className={tables.figure}>
                  {text}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {spending.map((one) => (
              <Row key={one.spendingId} spending={one} contribution={contributionOf(one)} />
            ))}
          </tbody>
          <tfoot>
            <tr>
              <td colSpan={4}>{words.sum}</td>
              {sums.map((sum, index) => (
                <td key={figures[index]} className={tables.figure}>
                  <Amount amount={sum} manner={manner} />
                </td>
              ))}
            </tr>
          </tfoot>
        </table>
      </section>
    </Card>
  )
}

function Row({ spending, contribution }: { spending: Spending; contribution: number }) {
  const { bankAccountId, spendingId, name, spendingType, nextRecurrence } = spending
  const reader = useReader()
  const manner = useManner(bankAccountId)
  const isBehind = useBehind(bankAccountId)(spending) === true
  const isPaidLate = usePaidLate([spending])(spending)
  const state = stateOf(spending, { contribution, isBehind, isPaidLate, reader })
  const amounts = {
    held: spending.currentAmount,
    needed: spending.targetAmount,
    next: contribution,
  }
  return (
    <tr>
      <td>
        <Link
          data-line
          to="/envelopes/$spendingId"
          params={{ spendingId }}
          search={{ account: bankAccountId }}
        >
          {name}
        </Link>
      </td>
      <td>{words.kinds[spendingType]}</td>
      <td className={tables.brief}>
        {formatShortDay(dayOf(nextRecurrence, reader.timezone), reader)}
      </td>
      <td className={tables.brief}>{state}</td>
      {Object.entries(amounts).map(([key, amount]) => (
        <td key={key} className={tables.figure}>
          <Amount amount={amount} manner={manner} />
        </td>
      ))}
    </tr>
  )
}

interface Known {
  contribution: number
  isBehind: boolean
  isPaidLate: boolean | undefined
  reader: Reader
}

function stateOf(spending: Spending, known: Known): string {
  const { isPaused, settledAt } = spending
  const { contribution, isBehind, isPaidLate, reader } = known
  if (isPaused) return words.paused
  if (isLate(spending, reader, isPaidLate)) return words.late
  if (isAwaited(spending) && !isPaidLate) return words.dueToday
  const isOfBills = !isEveryday(spending)
  if (isPaidToday(spending, reader, isPaidLate) || (isOfBills && settledAt)) return words.paid
  if (isBehind) return isOfBills ? words.behind : words.usedUp
  return contribution === 0 ? words.full : words.onItsWay
}
