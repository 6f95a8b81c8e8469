import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import { createAggregateWriter } from '@coffer/kit/database/aggregate-writer'
import type { Transaction } from '@coffer/kit/database/database'
import { findMarkedSaves, type MarkedSave, markSave } from '@coffer/kit/database/save-mark.sql'
import { currentCause } from '@coffer/kit/rpc/cause'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import { createChanges } from './money-events.service.ts'
import { type MoneySave, saveMoney } from './money-save.sql.ts'
import { lockMoney, readMoney } from './money-state.sql.ts'
import type { MoneyState } from './money-state.ts'
import { decideWorks, type Work } from './unit-of-work.ts'

/** A change of money. `operationId` defaults to a new ID, which every retry uses again. */
export type MoneyWork<Reply> = Pick<Work<Reply>, 'scope' | 'decide'> & {
  operationId?: string
  createdBy?: string | null
  timezone?: string | undefined
  /** Whether to exclude group commit: the change reads many rows, or changes unlisted rows. */
  isAlone?: boolean
}

/** The only interface that changes money (docs/money.md#the-writer). */
export interface MoneyWriter {
  /**
   * Makes one change; returns its reply after the commit. Throws `notFound` if the bank account is
   * missing, and any error of `decide`. An aborted `signal` drops a change that is still queued.
   */
  write: <Reply>(work: MoneyWork<Reply> & { signal?: AbortSignal }) => Promise<Reply>
  /** Makes changes of any bank accounts, each on its own; returns the outcomes in order. */
  writeEach: <Reply>(
    works: readonly MoneyWork<Reply>[],
  ) => Promise<readonly PromiseSettledResult<Reply>[]>
  /**
   * Makes one change in the caller's transaction: locks the bank account, then calls `prepare`,
   * which may run statements and returns the change. Any error rolls the transaction back.
   */
  writeIn: <Reply>(
    tx: Transaction,
    key: BankAccountKey,
    prepare: () => Promise<MoneyWork<Reply>>,
  ) => Promise<Reply>
  /**
   * Runs `change` in a transaction. `change` changes many rows, then calls `writeIn`, so that the
   * bank accounts are locked only at the end. After a rollback by a deadlock, the retry locks them
   * first, so that the deadlock cannot recur.
   */
  changeRows: <Reply>(
    keys: readonly BankAccountKey[],
    change: (tx: Transaction) => Promise<Reply>,
  ) => Promise<Reply>
}

type CompleteWork = Work<unknown> & { isAlone: boolean }
type Save = MoneySave & MarkedSave

/** Creates the writer of money: read, decide, save (docs/money.md#the-writer). */
export function createMoneyWriter({
  database,
  clock,
}: Pick<ServiceDeps, 'database' | 'clock'>): MoneyWriter {
  const writer = createAggregateWriter<CompleteWork, MoneyState, Save>(database, {
    hasEvents: ({ changes }) => changes.length > 0,
    isAlone: ({ isAlone }) => isAlone,
    read: readMoney,
    lock: lockMoney,
    decide: (state, works) => {
      const now = clock()
      const { outcomes, changeSet } = decideWorks(state, works, now)
      if (!changeSet) return { outcomes, changeSet }
      const changes = createChanges(changeSet, now)
      const save = markSave({ ...changeSet, changes }, changeSet.bankAccount, changes[0])
      return { outcomes, changeSet: save }
    },
    save: saveMoney,
    findSaved: findMarkedSaves,
  })
  return {
    write: async <Reply>({ signal, ...work }: MoneyWork<Reply> & { signal?: AbortSignal }) => {
      return (await writer.write(completeWork(work), signal)) as Reply
    },
    writeEach: async <Reply>(works: readonly MoneyWork<Reply>[]) => {
      return (await writer.writeEach(works.map(completeWork))) as PromiseSettledResult<Reply>[]
    },
    writeIn: async <Reply>(
      tx: Transaction,
      key: BankAccountKey,
      prepare: () => Promise<MoneyWork<Reply>>,
    ) => {
      await lockMoney(tx, [key])
      return (await writer.writeIn(tx, completeWork(await prepare()))) as Reply
    },
    changeRows: (keys, change) => {
      let isRepeated = false
      return database.transaction(async (tx) => {
        if (isRepeated) await lockMoney(tx, keys)
        isRepeated = true
        return change(tx)
      })
    },
  }
}

function completeWork(work: MoneyWork<unknown>): CompleteWork {
  const { operationId = newId('op'), createdBy = null, isAlone = false } = work
  const { actor, causeId } = currentCause()
  const cause = { actor, causeId: causeId || operationId }
  return { ...work, operationId, createdBy, isAlone, cause }
}
