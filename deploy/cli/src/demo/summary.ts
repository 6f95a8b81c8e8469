import { decimalPlaces } from '@coffer/kit/values/currency'
import type { Balances, Spending } from './replies.ts'

/** A text table of balances, envelopes and next contributions; names expenses that are behind. */
export function summaryText(options: {
  balances: Balances
  spending: Spending[]
  timezone: string
}): string {
  const { balances, spending, timezone } = options
  const money = moneyFormat(balances.currency)
  const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: timezone })
  const rows = spending.map((one) => [
    one.name,
    money(one.currentAmount),
    `of ${money(one.targetAmount)}`,
    `by ${day.format(one.nextRecurrence)}`,
    `next ${money(one.nextContributionAmount)}`,
    one.isBehind ? 'BEHIND' : '',
  ])
  const behind = spending.filter(({ isBehind }) => isBehind).map(({ name }) => name)
  return [
    `Available      ${money(balances.available)}   (current ${money(balances.current)})`,
    `In expenses    ${money(balances.expenses)}`,
    `In goals       ${money(balances.goals)}`,
    `Free to use    ${money(balances.free)}`,
    '',
    ...aligned(rows),
    '',
    behind.length === 0
      ? 'Nothing is behind.'
      : `Behind, because no pay comes before the due date: ${behind.join(', ')}.`,
  ].join('\n')
}

/** Formats minor units as an amount of the currency. */
function moneyFormat(currency: string): (minorUnits: number) => string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency })
  const divisor = 10 ** decimalPlaces(currency)
  return (minorUnits) => format.format(minorUnits / divisor)
}

function aligned(rows: string[][]): string[] {
  const widths = rows.reduce<number[]>(
    (widest, row) => row.map((cell, column) => Math.max(widest[column] ?? 0, cell.length)),
    [],
  )
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  )
}
