import { createAggregateWriter } from '@coffer/kit/database/aggregate-writer'
import type { Transaction } from '@coffer/kit/database/database'
import { findMarkedSaves, type MarkedSave, markSave } from '@coffer/kit/database/save-mark.sql'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import type { BankAccountKey } from '../accounts/bank-account.ts'
import { changesOf } from './money-events.service.ts'
import { type MoneySave, saveMoney } from './money-save.sql.ts'
import { lockMoney, readMoney } from './money-state.sql.ts'
import type { MoneyState } from './money-state.ts'
import { decideWorks, type Work } from './unit-of-work.ts'

/** A change of money. Without an operation ID it gets a new one, the same in every attempt. */
export type MoneyWork<Reply> = Pick<Work<Reply>, 'scope' | 'decide'> & {
  operationId?: string
  createdBy?: string | null
  /** It changes rows that the round does not list one by one, or reads more than others do. */
  isAlone?: boolean
}

/** The one writer of money. */
export interface MoneyWriter {
  /**
   * Carries out one change; resolves when it is committed. Throws notFound without the bank
   * account, and what `decide` throws. A signal that is aborted while the change still waits in
   * line drops it.
   */
  write: <Reply>(work: MoneyWork<Reply> & { signal?: AbortSignal }) => Promise<Reply>
  /** Carries out changes of any bank accounts, each by itself; an outcome for each, in order. */
  writeEach: <Reply>(
    works: readonly MoneyWork<Reply>[],
  ) => Promise<readonly PromiseSettledResult<Reply>[]>
  /**
   * One change in the caller's transaction, for rows that are moved in bulk: `prepare` runs its
   * statements under the row lock and returns the change. A refusal is thrown, which rolls all of
   * the transaction back.
   */
  writeIn: <Reply>(
    tx: Transaction,
    key: BankAccountKey,
    prepare: () => Promise<MoneyWork<Reply>>,
  ) => Promise<Reply>
}

type LinedUp = Work<unknown> & { isAlone: boolean }
type Save = MoneySave & MarkedSave

/** The one way in which money changes: read, decide, save (docs/money.md). */
export function createMoneyWriter({
  database,
  clock,
}: Pick<ServiceDeps, 'database' | 'clock'>): MoneyWriter {
  const writer = createAggregateWriter<LinedUp, MoneyState, Save>(database, {
    hasEvents: ({ changes }) => changes.length > 0,
    isAlone: ({ isAlone }) => isAlone,
    read: readMoney,
    lock: lockMoney,
    decide: (state, works) => {
      const { outcomes, changeSet } = decideWorks(state, works, clock())
      if (!changeSet) return { outcomes, changeSet }
      const changes = changesOf(changeSet)
      const save = markSave({ ...changeSet, changes }, changeSet.bankAccount, changes[0])
      return { outcomes, changeSet: save }
    },
    save: saveMoney,
    findSaved: findMarkedSaves,
  })
  return {
    write: async <Reply>({ signal, ...work }: MoneyWork<Reply> & { signal?: AbortSignal }) => {
      return (await writer.write(linedUp(work), signal)) as Reply
    },
    writeEach: async <Reply>(works: readonly MoneyWork<Reply>[]) => {
      return (await writer.writeEach(works.map(linedUp))) as PromiseSettledResult<Reply>[]
    },
    writeIn: async <Reply>(
      tx: Transaction,
      key: BankAccountKey,
      prepare: () => Promise<MoneyWork<Reply>>,
    ) => {
      await lockMoney(tx, [key])
      return (await writer.writeIn(tx, linedUp(await prepare()))) as Reply
    },
  }
}

function linedUp(work: MoneyWork<unknown>): LinedUp {
  const { operationId = newId('op'), createdBy = null, isAlone = false } = work
  return { ...work, operationId, createdBy, isAlone }
}
