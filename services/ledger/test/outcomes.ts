import type { Household } from '@coffer/host/testing/household'
import { problemsOf } from '@coffer/kit/rpc/errors'
import { Code, ConnectError } from '@connectrpc/connect'

/** Returns the first hundred transactions of a household, newest first. */
export async function listed({ transactions, bankAccountId, as }: Household) {
  const page = { bankAccountId, limit: 100, offset: 0 }
  return (await transactions.listTransactions(page, as)).transactions
}

/** Returns the `problems` of a request that must fail; another error is returned unchanged. */
export async function problems(request: Promise<unknown>) {
  const error = await request.then(
    () => undefined,
    (fault: unknown) => fault,
  )
  return error instanceof ConnectError ? problemsOf(error) : error
}

/** Returns for each call, in order, its error code, or `accepted`. */
export async function refusals(...calls: Promise<unknown>[]): Promise<string[]> {
  const outcomes = await Promise.allSettled(calls)
  return outcomes.map((outcome) =>
    outcome.status === 'fulfilled' ? 'accepted' : Code[ConnectError.from(outcome.reason).code],
  )
}
