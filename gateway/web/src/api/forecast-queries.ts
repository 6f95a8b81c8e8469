import type { Forecast } from '@coffer/client/types'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { coffer } from './client.ts'

export type { Forecast }

/** Forecast of free-to-use money and envelopes up to and including the day `end` (`2026-11-20`). */
export function forecastQuery(bankAccountId: string, end: string) {
  const path = { bankAccountId }
  return queryOptions({
    queryKey: ['forecast', bankAccountId, end],
    queryFn: async ({ signal }) => {
      const { data } = await coffer.getForecast({ path, query: { end }, signal })
      return data as Forecast
    },
    placeholderData: keepPreviousData,
  })
}
