import { newId } from '@coffer/kit/values/id'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { connectTemporal, type Temporal, workflowQueue } from '../../src/workflows/temporal.ts'
import { requiredVariable } from '../../testing/database.ts'
import { silentLog as log } from '../../testing/silent-log.ts'

const stack = new AsyncDisposableStack()
const prefix = newId('t')
const made = new Map<string, number>()
/** Number of attempts, from the first on, during which the workflow is started again. */
const restarts = new Map([
  ['once', 1],
  ['often', 20],
])
let workflows: Temporal

const start = (id: string, attempts: number) =>
  workflows.start({ type: 'repeating', id, args: [id, attempts] })

async function attempt(id: string): Promise<void> {
  const count = (made.get(id) ?? 0) + 1
  made.set(id, count)
  if (count <= (restarts.get(id) ?? 0)) await start(id, 1)
}

beforeAll(async () => {
  const address = requiredVariable('COFFER_TEST_TEMPORAL_ADDRESS')
  workflows = stack.use(connectTemporal({ address, namespace: 'default', prefix, log }))
  const modules = [new URL('../fixture/repeating.workflow.ts', import.meta.url)]
  const options = { taskQueue: workflowQueue, workflows: modules, activities: { attempt }, log }
  stack.use(await workflows.work(options))
})

afterAll(() => stack.disposeAsync())

const runOf = (id: string) =>
  workflows.client.workflow.getHandle(`${prefix}/${workflowQueue}/${id}`)

test('a start during a run ends one pause of it, and the run is repeated', async () => {
  await start('once', 3)
  await runOf('once').result()
  expect(made.get('once')).toBe(6)
  const { events } = await runOf('once').fetchHistory()
  expect(events?.filter(({ timerFiredEventAttributes: fired }) => fired)).toHaveLength(5)
})

test('a start during the twentieth run is served by another one', async () => {
  await start('often', 1)
  await runOf('often').result()
  expect(made.get('often')).toBe(21)
})
