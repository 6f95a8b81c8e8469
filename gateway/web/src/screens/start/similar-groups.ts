import { paginate } from '@coffer/client'
import { queryOptions } from '@tanstack/react-query'
import type { Transaction } from '../../api/budget-queries.ts'
import { coffer } from '../../api/client.ts'
import { createPayees, type Group, groupByName, movementsOf } from './suggestions.ts'

/** Number of the newest transactions that suggestions are based on: about a year of a household. */
const transactionsMax = 600
/**
 * Maximum number of requests for clusters of similar payments. Each is for the newest payment that
 * is in no cluster yet, so the first few find most repeated payments.
 */
const clustersMax = 12

/** Payments and deposits of a bank account, grouped by similarity. */
interface Groups {
  payments: Group[]
  deposits: Group[]
}

/** Groups the newest transactions by clusters, and the remaining ones by name. */
export function groupsQuery(bankAccountId: string, dayOf: (instant: string) => string) {
  const path = { bankAccountId }
  return queryOptions({
    queryKey: ['start-groups', bankAccountId],
    refetchInterval: false,
    queryFn: async (): Promise<Groups> => {
      const all: Transaction[] = []
      for await (const one of paginate(coffer.listTransactions, { path, query: { limit: 100 } })) {
        all.push(one)
        if (all.length === transactionsMax) break
      }
      const deposits = groupByName(movementsOf(all, { isIncome: true, dayOf }))
      let rest = movementsOf(all, { isIncome: false, dayOf })
      const areOfOne = createPayees(rest.map(({ name }) => name))
      const payments: Group[] = []
      const alone: typeof rest = []
      for (let asked = 0; asked < clustersMax && rest.length > 0; asked += 1) {
        const [first] = rest
        if (first === undefined) break
        const members = await membersOf(bankAccountId, first.transactionId)
        const isOwn = ({ transactionId, name }: (typeof rest)[number]) =>
          members.has(transactionId) && areOfOne(first.name, name)
        const own = rest.filter(isOwn)
        if (own.length > 1) payments.push({ name: first.name, movements: own })
        else alone.push(first)
        rest = rest.filter((one) => !isOwn(one))
      }
      return { deposits, payments: [...payments, ...groupByName([...alone, ...rest])] }
    },
  })
}

/** Returns the IDs of similar transactions; only the given one if they are not computed yet. */
async function membersOf(bankAccountId: string, transactionId: string): Promise<Set<string>> {
  const path = { bankAccountId, transactionId }
  const cluster = (await coffer.getSimilarTransactions({ path })).data
  return new Set([transactionId, ...(cluster ? cluster.members : [])])
}
