import { readFileSync } from 'node:fs'
import type { Client } from '@temporalio/client'
import { historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import { Worker } from '@temporalio/worker'
import { installRuntime } from '../src/workflows/temporal-native.ts'
import { listWorkflows, workflowBundle } from '../src/workflows/workflow-bundle.ts'
import { silentLog } from './silent-log.ts'

/** The history of one workflow run. Its ID is only a name for messages. */
export interface RecordedRun {
  type: string
  workflowId: string
  /** Events as protobuf JSON, without names of processes and machines. */
  events: object[]
}

/** Returns the names of all workflow types: the exported functions of the workflow modules. */
export function workflowTypes(): string[] {
  const texts = listWorkflows().map((url) => readFileSync(url, 'utf8'))
  const names = texts.flatMap((text) => [...text.matchAll(/^export async function (\w+)/gm)])
  return names.map(([, name = '']) => name).sort()
}

/** Returns the histories of all workflow runs that have completed, of one prefix of IDs. */
export async function completedRuns(client: Client, prefix: string): Promise<RecordedRun[]> {
  const runs: RecordedRun[] = []
  const query = `WorkflowId STARTS_WITH '${prefix}/' AND ExecutionStatus = 'Completed'`
  for await (const { type, workflowId, runId } of client.workflow.list({ query })) {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory()
    const { events } = JSON.parse(historyToJSON(history), withoutProcesses)
    runs.push({ type, workflowId, events })
  }
  return runs
}

/** Leaves out what names a process, a machine or a build. A replay does not read it. */
function withoutProcesses(key: string, value: unknown): unknown {
  if (/^(identity|binaryChecksum|workerVersion|requestId|taskId)$/.test(key)) return undefined
  // The queue of one worker process (sticky execution): its ID, the machine and a random number.
  return typeof value === 'string' && /^\d+@/.test(value) ? 'sticky' : value
}

/**
 * Replays runs on the workflow code of today, without a server. Returns a line for each run from
 * which the code departs: Temporal would not go on with such a run.
 */
export async function replay(runs: RecordedRun[]): Promise<string[]> {
  installRuntime(silentLog)
  const failures: string[] = []
  const histories = runs.map(({ workflowId, events }) => ({
    workflowId,
    history: historyFromJSON({ events }),
  }))
  // In a thread: in the process of the tests, Temporal would leave a hook on all of its promises.
  const options = { workflowBundle: await workflowBundle(listWorkflows()), debugMode: false }
  for await (const { workflowId, error } of Worker.runReplayHistories(options, histories)) {
    if (error) failures.push(`${workflowId}: ${error.message}`)
  }
  return failures
}
