import { create, toBinary } from '@bufbuild/protobuf'
import { newId } from '@coffer/kit/id'
import type { WorkflowStart, Workflows } from '@coffer/kit/temporal'
import { TransactionsChangedSchema } from '@coffer/proto/ledger/v1/events'
import { expect, test } from '@jest/globals'
import { similarHandler } from './similar.consumer.ts'
import type { NumberedChange } from './similar-search.sql.ts'

const accountId = newId('acct')
const delivery = { changeId: newId('chg'), accountId, sequence: 7n, consumer: 'ledger' }

/** The handler, and what it started; the first `failures` starts fail. */
function listening(quietMs: number, { failures = 0, searchedUpTo = 0n } = {}) {
  const started: WorkflowStart[] = []
  const start = async (workflow: WorkflowStart) => {
    started.push(workflow)
    if (started.length <= failures) throw new Error('Temporal is not there')
  }
  const workflows = { start } as unknown as Workflows
  const isSearched = async ({ sequence }: NumberedChange) => sequence <= searchedUpTo
  const { handle } = similarHandler({ workflows, quietMs, isSearched })
  const changed = (bankAccountId: string) => {
    const event = create(TransactionsChangedSchema, { accountId, bankAccountId })
    return handle(toBinary(TransactionsChangedSchema, event), delivery)
  }
  return { started, changed }
}

test('many changes in a row have a bank account searched by one trigger', async () => {
  const { started, changed } = listening(3_600_000)
  await Promise.all(Array.from({ length: 50 }, () => changed('bac_1')))
  await changed('bac_2')
  await changed('bac_1')
  expect(started).toEqual([
    {
      type: 'findSimilar',
      id: 'similar/bac_1',
      taskQueue: 'ledger',
      args: [{ accountId, bankAccountId: 'bac_1', quietMs: 3_600_000 }],
    },
    expect.objectContaining({ id: 'similar/bac_2' }),
  ])
})

test('a change that finds the last trigger old has one of its own', async () => {
  const { started, changed } = listening(0)
  await changed('bac_1')
  await changed('bac_1')
  expect(started).toHaveLength(2)
})

test('a trigger that fails fails all that relied on it, and the next tries again', async () => {
  const { started, changed } = listening(3_600_000, { failures: 1 })
  const outcomes = await Promise.allSettled([changed('bac_1'), changed('bac_1')])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await changed('bac_1')
  expect(started).toHaveLength(2)
})

test('a change that a search has seen starts none, a later one does', async () => {
  const seen = listening(3_600_000, { searchedUpTo: 7n })
  await seen.changed('bac_1')
  const later = listening(3_600_000, { searchedUpTo: 6n })
  await later.changed('bac_1')
  expect([seen.started.length, later.started.length]).toEqual([0, 1])
})
