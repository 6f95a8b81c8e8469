import { createAggregateWriter } from '@coffer/kit/database/aggregate-writer'
import type { Transaction } from '@coffer/kit/database/database'
import { otherRequest } from '@coffer/kit/database/idempotency'
import { findMarkedSaves, type MarkedSave, markSave } from '@coffer/kit/database/save-mark.sql'
import { objectsChanged } from '@coffer/kit/events/objects-changed'
import { say } from '@coffer/kit/reasons/reasons'
import { currentCause } from '@coffer/kit/rpc/cause'
import { duplicate } from '@coffer/kit/rpc/errors'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { ObjectsChangedSchema } from '@coffer/proto/budgeting/v1/events'
import { UniqueIntegrityConstraintViolationError } from 'slonik'
import { type PlanSave, saveChangeSets } from './plan-save.sql.ts'
import { lockPlanVersions, readPlanStates } from './plan-state.sql.ts'
import { type CausedWork, decideWorks, type PlanState, type Work } from './unit-of-work.ts'

/** The only way to change plans, funding schedules and funding runs. */
export interface PlanWriter {
  /**
   * Saves one change; resolves after the commit. Throws notFound on a removed bank account,
   * duplicate for a name in use, and errors of `decide`. Aborting `signal` drops a queued change.
   */
  write: <Reply>(work: Work<Reply> & { signal?: AbortSignal }) => Promise<Reply>
  /** Decides and saves independent changes; returns one outcome per change, in their order. */
  writeEach: <Reply>(
    works: readonly Work<Reply>[],
  ) => Promise<readonly PromiseSettledResult<Reply>[]>
  /** Makes the changes that `listWorks` finds in one transaction, and `last` in it: all or none. */
  writeTogether: (
    listWorks: (tx: Transaction) => Promise<readonly Work<void>[]>,
    last: (tx: Transaction) => Promise<void>,
  ) => Promise<void>
}

type Save = PlanSave & MarkedSave

/** Creates the writer of plans: read, decide, compare-and-set (docs/plans.md#the-writer). */
export function createPlanWriter({
  database,
  clock,
}: Pick<ServiceDeps, 'database' | 'clock'>): PlanWriter {
  const writer = createAggregateWriter<CausedWork<unknown>, PlanState, Save>(database, {
    isAlone: () => false,
    hasEvents: ({ changes }) => changes.length > 0,
    read: readPlanStates,
    lock: lockPlanVersions,
    decide: (state, works) => {
      const now = clock()
      const { outcomes, changeSet } = decideWorks(state, works, now)
      if (!changeSet) return { outcomes, changeSet }
      const { accountId, told } = changeSet
      const changes = told.flatMap(({ cause, objects }) =>
        objectsChanged(ObjectsChangedSchema, { accountId, now, cause }, objects),
      )
      return { outcomes, changeSet: markSave({ ...changeSet, changes }, changeSet, changes[0]) }
    },
    save: saveChangeSets,
    findSaved: findMarkedSaves,
  })
  return {
    write: async <Reply>({ signal, ...work }: Work<Reply> & { signal?: AbortSignal }) => {
      return (await writer.write(caused(work), signal).catch(refuse)) as Reply
    },
    writeEach: async <Reply>(works: readonly Work<Reply>[]) => {
      return (await writer.writeEach(works.map(caused))) as PromiseSettledResult<Reply>[]
    },
    writeTogether: (listWorks, last) =>
      database.transaction(async (tx) => {
        const works = await listWorks(tx)
        await lockPlanVersions(
          tx,
          works.map(({ scope }) => scope),
        )
        for (const work of works) await writer.writeIn(tx, caused(work))
        await last(tx)
      }),
  }
}

/** Returns the change with the cause of the present call or activity. */
function caused(work: Work<unknown>): CausedWork<unknown> {
  return { ...work, cause: currentCause() }
}

/** Converts unique violations to refusals for the client; rethrows other errors. */
function refuse(fault: unknown): never {
  if (!(fault instanceof UniqueIntegrityConstraintViolationError)) throw fault
  switch (fault.constraint) {
    case 'spending_name':
      throw duplicate('spending', {
        name: say('NAME_TAKEN', { name: fault.detail ?? '' }),
      })
    case 'funding_schedules_name':
      throw duplicate('funding schedule', {
        name: say('SCHEDULE_NAME_TAKEN', { name: fault.detail ?? '' }),
      })
    case 'spending_opening_key':
      throw otherRequest()
    default:
      throw fault
  }
}
