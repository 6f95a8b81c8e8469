import { createAggregateWriter } from '@coffer/kit/database/aggregate-writer'
import { otherBody } from '@coffer/kit/database/idempotency'
import { findMarkedSaves, type MarkedSave, markSave } from '@coffer/kit/database/save-mark.sql'
import { duplicate } from '@coffer/kit/rpc/errors'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { UniqueIntegrityConstraintViolationError } from 'slonik'
import { saveBooks } from './plan-save.sql.ts'
import { lockBooks, readBooks } from './plan-state.sql.ts'
import { type BookState, type ChangeSet, decideWorks, type Work } from './unit-of-work.ts'

/** The one writer of plans, schedules and runs. */
export interface PlanWriter {
  /**
   * Carries out one change; resolves when it is committed. Throws notFound where the bank account
   * is removed, duplicate where a name is taken, and what `decide` throws. A signal that is aborted
   * while the change still waits in line drops it.
   */
  write: <Reply>(work: Work<Reply> & { signal?: AbortSignal }) => Promise<Reply>
  /** Carries out changes of any bank accounts, each by itself; an outcome for each, in order. */
  writeEach: <Reply>(
    works: readonly Work<Reply>[],
  ) => Promise<readonly PromiseSettledResult<Reply>[]>
}

type Save = ChangeSet & MarkedSave

/** The one way in which plans change: read, decide, save (docs/plans.md). */
export function createPlanWriter({
  database,
  clock,
}: Pick<ServiceDeps, 'database' | 'clock'>): PlanWriter {
  const writer = createAggregateWriter<Work<unknown>, BookState, Save>(database, {
    isAlone: () => false,
    // Budgeting publishes nothing.
    hasEvents: () => false,
    read: readBooks,
    lock: lockBooks,
    decide: (state, works) => {
      const { outcomes, changeSet } = decideWorks(state, works, clock())
      return { outcomes, changeSet: changeSet && markSave(changeSet, changeSet) }
    },
    save: saveBooks,
    findSaved: findMarkedSaves,
  })
  return {
    write: async <Reply>({ signal, ...work }: Work<Reply> & { signal?: AbortSignal }) => {
      return (await writer.write(work, signal).catch(refuse)) as Reply
    },
    writeEach: async <Reply>(works: readonly Work<Reply>[]) => {
      return (await writer.writeEach(works)) as PromiseSettledResult<Reply>[]
    },
  }
}

/** Throws a fault of the database as the refusal that a client gets, where it is one. */
function refuse(fault: unknown): never {
  if (!(fault instanceof UniqueIntegrityConstraintViolationError)) throw fault
  switch (fault.constraint) {
    case 'spending_name':
      throw duplicate('spending', { name: 'is taken by another one of the bank account' })
    case 'funding_schedules_name':
      throw duplicate('funding schedule', {
        name: 'is taken by another schedule of the bank account',
      })
    case 'spending_opening_key':
      throw otherBody()
    default:
      throw fault
  }
}
