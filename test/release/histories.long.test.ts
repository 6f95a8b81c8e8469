import { completedRuns, replay, workflowTypes } from '@coffer/host/testing/histories'
import { expect, test } from '@jest/globals'
import { runEveryWorkflow } from './every-workflow.ts'
import { longestRuns, storeRuns } from './histories.ts'

/** Folder into which the histories are written; unset: they are only replayed. */
const folder = process.env.COFFER_TEST_HISTORIES

test('every workflow type runs to its end, and its history is replayed', async () => {
  await using coffer = await runEveryWorkflow()
  const { workflows, prefix } = coffer.booted
  const runs = await completedRuns(workflows.client, prefix)
  const longest = longestRuns(runs)
  if (folder) storeRuns(longest, folder)
  expect(longest.map(({ type }) => type).sort()).toEqual(workflowTypes())
  expect(await replay(runs)).toEqual([])
})
