import { expect } from '@jest/globals'
import type { Household } from './household.ts'

type Known = { knownVersion?: string }

/**
 * Compares what the lists of a bank account say of themselves with what they show, whenever it is
 * called: unchanged since the last time they may only be called if they are. Returns which are new.
 */
export function watchLists({ envelopes, transactions, bankAccountId, as }: Household) {
  const lists = {
    envelopes: async (known: Known) => {
      const { envelopes: shown, ...told } = await envelopes.listEnvelopes(
        { bankAccountId, ...known },
        as,
      )
      return { ...told, shown }
    },
    transactions: async (known: Known) => {
      const page = { bankAccountId, limit: 25, offset: 0, ...known }
      const { transactions: shown, ...told } = await transactions.listTransactions(page, as)
      return { ...told, shown }
    },
  }
  const last = new Map<string, { version: string | undefined; shown: unknown }>()
  return async (): Promise<string[]> => {
    const changed: string[] = []
    for (const [name, list] of Object.entries(lists)) {
      const before = last.get(name)
      const news = await list(before?.version ? { knownVersion: before.version } : {})
      const whole = await list({})
      if (news.isUnchanged) {
        expect([whole.version, whole.shown]).toEqual([before?.version, before?.shown])
      } else {
        expect([news.version, news.shown]).toEqual([whole.version, whole.shown])
        changed.push(name)
      }
      last.set(name, { version: whole.version, shown: whole.shown })
    }
    return changed
  }
}
