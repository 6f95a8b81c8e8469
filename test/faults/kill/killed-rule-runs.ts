import { eventually } from '@coffer/host/testing/boot'
import { expect } from '@jest/globals'
import { type Json, newPerson } from '../../harness/person.ts'
import type { Interrupted, Killable } from './interrupted.ts'

/** More transactions than some pages of a run have. */
const rowCount = 4_000

/** Prepares a run of rules, or its undo, that is killed between two of its pages. */
export async function prepareRuleRun(killable: Killable, isUndo: boolean): Promise<Interrupted> {
  const person = await newPerson(killable.deployment.baseUrl)
  const { path } = await person.createBankAccount(1_000_000)
  const rows = Array.from({ length: rowCount }, (_, id) => `D01/15/2026\nT-1.50\nPDeli ${id}\n^\n`)
  const form = new FormData()
  form.set('data', new Blob([`!Type:Bank\n${rows.join('')}`]), 'bank.qif')
  const { body: sent } = await person.call('POST', `${path}/transactions/upload`, { form })
  const upload = () => person.get(`${path}/transactions/upload/${sent.transactionUploadId}`)
  const imported = await eventually(upload, ({ status }) => status === 'complete', 90_000)
  expect(imported).toMatchObject({ importedCount: rowCount })
  await person.post('/rules', {
    name: 'Deli',
    conditions: { originalName: { kind: 'contains', text: 'deli' } },
    actions: { name: 'Lunch', tags: ['food'] },
  })
  const tagged = async (): Promise<number> =>
    (
      await killable.read(
        `SELECT count(*)::int AS count FROM ledger.transactions
         WHERE account_id = $1 AND tags IS NOT NULL AND name = 'Lunch'`,
        person.accountId,
      )
    ).count
  const start = async (): Promise<string> => (await person.post('/rules/runs', {})).ruleRunId
  const ended = (id: string): Promise<Json> =>
    eventually(
      () => person.get(`/rules/runs/${id}`),
      ({ status }) => status !== 'running' && status !== 'undoing',
      120_000,
    )
  const runs: string[] = []
  if (isUndo) {
    runs.push(await start())
    expect(await ended(runs[0] ?? '')).toMatchObject({ changedCount: rowCount })
  }
  return {
    act: async () => {
      if (!isUndo) runs.push(await start())
      const [id] = runs
      if (isUndo) await person.call('DELETE', `/rules/runs/${id}`)
      const isBetween = (count: number) => count > 0 && count < rowCount
      await eventually(tagged, isBetween, 60_000)
    },
    whileDown: async () => {
      const left = await tagged()
      expect(left).toBeGreaterThan(0)
      expect(left).toBeLessThan(rowCount)
    },
    afterRestart: async () => {
      const run = await ended(runs[0] ?? '')
      const applied = { matchedCount: rowCount, changedCount: rowCount, leftAloneCount: 0 }
      const undone = { status: 'undone', undoneCount: rowCount, keptCount: 0 }
      expect(run).toMatchObject({ ...applied, ...(isUndo ? undone : { status: 'complete' }) })
      expect(await tagged()).toBe(isUndo ? 0 : rowCount)
      const again = await ended(await start())
      expect(again).toMatchObject({ matchedCount: rowCount, changedCount: isUndo ? rowCount : 0 })
    },
  }
}
