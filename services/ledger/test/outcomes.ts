import type { Household } from '@coffer/host/testing/household'
import { problemsOf } from '@coffer/kit/rpc/errors'
import { Code, ConnectError } from '@connectrpc/connect'

/** Returns the newest hundred transactions of a household, newest first. */
export async function listed({ transactions, bankAccountId, as }: Household) {
  const page = { bankAccountId, limit: 100, offset: 0 }
  return (await transactions.listTransactions(page, as)).transactions
}

/**
 * Returns the `problems` (texts by field) of a request that must fail. An error without them is
 * returned as it is.
 */
export async function problems(request: Promise<unknown>) {
  const error = await request.then(
    () => undefined,
    (fault: unknown) => fault,
  )
  return error instanceof ConnectError ? problemsOf(error) : error
}

/** Returns the error code of each call, or `accepted`, in the order of the calls. */
export async function refusals(...calls: Promise<unknown>[]): Promise<string[]> {
  const outcomes = await Promise.allSettled(calls)
  return outcomes.map((outcome) =>
    outcome.status === 'fulfilled' ? 'accepted' : Code[ConnectError.from(outcome.reason).code],
  )
}
