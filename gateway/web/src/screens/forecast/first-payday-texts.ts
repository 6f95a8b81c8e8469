import { useQuery } from '@tanstack/react-query'
import { spendingQuery } from '../../api/budget-queries.ts'
import type { Forecast } from '../../api/forecast-queries.ts'
import { useMoneyText } from '../../controls/texts/money-text.ts'
import { dayOf, formatShortDay } from '../../format/days.ts'
import { useManner, useReader } from '../../shell/chosen-account.ts'
import { forecastWords as words } from '../../words/forecast.ts'
import { firstPaydays } from './first-payday.ts'

/** Texts on why a first payday differs from later ones. */
interface FirstPayday {
  /** In few words, for the chart. */
  summary: string
  sentences: readonly string[]
}

const namedMax = 3

/** Returns the texts by the date of the payday in the forecast. */
export function useFirstPaydays(
  forecast: Pick<Forecast, 'events' | 'free'>,
  bankAccountId: string,
): Map<string, FirstPayday> {
  const reader = useReader()
  const money = useMoneyText(useManner(bankAccountId))
  const { data: spending = [] } = useQuery(spendingQuery(bankAccountId))
  const contributions = new Map(forecast.free.map((one) => [one.date, one.contribution]))
  const texts = [...firstPaydays(forecast, spending)].map(([date, all]) => {
    const less = all.reduce((sum, { usual, amount }) => sum + usual - amount, 0)
    const usually = words.usually({ usual: money((contributions.get(date) ?? 0) + less) })
    const more = all.length > namedMax ? ', …' : ''
    const names = all.slice(0, namedMax).map(({ name }) => name)
    const sentences = all.map(({ name, isDueFirst, paydays, due, ...of }) => {
      const [amount, usual] = [money(of.amount), money(of.usual)]
      const amounts = { name, amount, usual, held: money(of.held), needed: money(of.needed) }
      if (isDueFirst) return words.dueFirst(amounts)
      const day = formatShortDay(dayOf(due, reader.timezone), reader)
      if (of.amount === 0) return words.full({ ...amounts, day })
      return words.shared({ ...amounts, day, paydays: paydays ?? 0 })
    })
    const summary = `${usually} ${words.differs({ names: names.join(', ') + more })}`
    return [date, { summary, sentences: [usually, ...sentences] }] as const
  })
  return new Map(texts)
}
