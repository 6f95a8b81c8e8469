import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import { systemUserId } from '@coffer/kit/rpc/caller'
import { repeat } from '@coffer/kit/service/repeat'
import type { ServiceDeps } from '@coffer/kit/service/service'
import type { MoneyWriter } from '../money/writer.service.ts'
import { findLastStatement, listSuspects, markLookedAt } from './debt-restatement.sql.ts'
import { debtCorrection, settleRestated } from './debt-restatement.ts'

type Deps = Pick<ServiceDeps, 'database'> & Pick<MoneyWriter, 'writeIn'>

const everyMs = 10 * 60_000
const pageSize = 200

/**
 * until 0.5: corrects debts that a former version stored as positive, now and every ten minutes,
 * because replicas of that version may import further ones until all of them have been replaced.
 */
export function watchDebts(deps: Deps & Pick<ServiceDeps, 'log'>): AsyncDisposable {
  const step = async (stopping: AbortSignal) => {
    try {
      const restated = await restateDebts(deps, stopping)
      if (restated > 0) deps.log.info({ restated }, 'debts restated: what is owed is negative')
    } catch (error) {
      deps.log.debug({ err: error }, 'debts not restated')
    }
  }
  return repeat(step, { everyMs })
}

/** Corrects all debts that are stored as positive; returns the number of corrected accounts. */
export async function restateDebts(deps: Deps, stopping?: AbortSignal): Promise<number> {
  let restated = 0
  let last: BankAccountKey | undefined = { accountId: '', bankAccountId: '' }
  while (last && !stopping?.aborted) {
    const page: readonly BankAccountKey[] = await listSuspects(deps.database, last, pageSize)
    for (const key of page) {
      if (!stopping?.aborted && (await restateDebt(deps, key))) restated += 1
    }
    last = page.at(pageSize - 1)
  }
  return restated
}

/** Idempotent: reads the statement under the row lock, so replicas correct a debt only once. */
function restateDebt({ database, writeIn }: Deps, key: BankAccountKey): Promise<boolean> {
  const { accountId, bankAccountId } = key
  const scope = { accountId, bankAccountId }
  return database.transaction(async (tx) => {
    const isRestated = await writeIn(tx, key, async () => {
      const statement = await findLastStatement(tx, key)
      const delta = debtCorrection(statement)
      const { causeId } = statement
      return {
        scope,
        createdBy: systemUserId,
        decide: (current) => {
          if (delta === 0n) return { reply: false }
          return { settlement: settleRestated(current, { delta, causeId }), reply: true }
        },
      }
    })
    await markLookedAt(tx, key)
    return isRestated
  })
}
