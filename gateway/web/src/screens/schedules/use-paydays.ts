import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { type Payday, paydaysQuery } from '../../api/account-queries.ts'
import { schedulesQuery } from '../../api/budget-queries.ts'

/**
 * Returns the paydays of a bank account from the overview; if it has none, from their list. The
 * overview has only the next 20 of all bank accounts, and none that never fires again.
 */
export function usePaydays(bankAccountId: string): UseQueryResult<Payday[]> {
  const next = useQuery(paydaysQuery(bankAccountId))
  const isNone = next.data?.length === 0
  const all = useQuery({ ...schedulesQuery(bankAccountId), enabled: isNone })
  return isNone ? all : next
}
