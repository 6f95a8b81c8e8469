import { replay, workflowTypes } from '@coffer/host/testing/histories'
import { expect, test } from '@jest/globals'
import { storedRuns } from './histories.ts'

const runs = storedRuns()

test('every workflow type has a recorded history', () => {
  const recorded = new Set(runs.map(({ type }) => type))
  const remedy = 'docs/running/upgrading.md, "Histories of workflows"'
  const missing = workflowTypes().filter((type) => !recorded.has(type))
  expect(missing.map((type) => `${type} has no history: see ${remedy}`)).toEqual([])
})

test('the workflows of today go on with every recorded history', async () => {
  expect(await replay(runs)).toEqual([])
})

test('a history in which the workflow did something else is reported', async () => {
  const [first] = runs.filter(({ type }) => type === 'comparePlans')
  const events = JSON.parse(JSON.stringify(first?.events).replaceAll('comparePage', 'countPage'))
  const failures = await replay([{ type: 'comparePlans', workflowId: 'changed', events }])
  expect(failures).toEqual([expect.stringMatching(/^changed: .*comparePage/)])
})
