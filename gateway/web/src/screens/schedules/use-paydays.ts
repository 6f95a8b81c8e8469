import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { type Payday, paydaysQuery } from '../../api/account-queries.ts'
import { schedulesQuery } from '../../api/budget-queries.ts'

/**
 * Returns the paydays of a bank account: those of the overview, else all of the bank account, which
 * may be behind 20 of others or never fire again.
 */
export function usePaydays(bankAccountId: string): UseQueryResult<Payday[]> {
  const next = useQuery(paydaysQuery(bankAccountId))
  const isNone = next.data?.length === 0
  const all = useQuery({ ...schedulesQuery(bankAccountId), enabled: isNone })
  return isNone ? all : next
}
