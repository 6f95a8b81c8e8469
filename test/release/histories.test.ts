import { readFileSync } from 'node:fs'
import { replay, workflowTypes } from '@coffer/host/testing/histories'
import { listWorkflows } from '@coffer/host/workflows/workflow-bundle'
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

test('a long history of the version before is replayed as it was', async () => {
  const [first] = runs.filter(({ type }) => type === 'sweepLedger')
  const long = JSON.stringify(first?.events).replaceAll(
    '"workflowTaskStartedEventAttributes":{',
    '"workflowTaskStartedEventAttributes":{"suggestContinueAsNew":true,',
  )
  const events = JSON.parse(
    long.replaceAll('"suggestContinueAsNew":true,}', '"suggestContinueAsNew":true}'),
  )
  expect(await replay([{ type: 'sweepLedger', workflowId: 'long', events }])).toEqual([])
})

// `bounded-history.long.test.ts` runs each of them.
test('every module with a workflow that loops bounds its history', () => {
  const wrong = listWorkflows().filter((url) => {
    const text = readFileSync(url, 'utf8')
    return /\b(?:while|do)\b *[({]|for \((?:;|let)/.test(text) && !text.includes('isHistoryLong')
  })
  // finishAggregatorLink: at most 20 runs of five attempts.
  expect(wrong.map(({ pathname }) => pathname)).toEqual([
    expect.stringContaining('/aggregator-sync/src/links/link.workflow.ts'),
  ])
})
