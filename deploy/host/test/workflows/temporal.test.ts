import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { invalid } from '@coffer/kit/rpc/errors'
import { startProxy } from '@coffer/kit/testing/proxy'
import { newId } from '@coffer/kit/values/id'
import { siblingQueue } from '@coffer/kit/workflows/task-queue'
import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { ScheduleDescription } from '@temporalio/client'
import { pino } from 'pino'
import { createLog } from '../../src/logger.ts'
import type { Temporal } from '../../src/workflows/temporal.ts'
import { connectTemporal, type TemporalOptions } from '../../src/workflows/temporal.ts'
import { eventually } from '../../testing/boot.ts'
import { requiredVariable } from '../../testing/database.ts'

const stack = new AsyncDisposableStack()
const prefix = newId('t')
const log = createLog({ level: 'silent', name: 'test' })
const held = Promise.withResolvers<void>()
const arrived = Promise.withResolvers<void>()
const attempts = new Map<string, number>()
let finished = false
let workflows: Temporal
let worker: AsyncDisposable

const address = () => requiredVariable('COFFER_TEST_TEMPORAL_ADDRESS')

const connect = (options: Partial<TemporalOptions> = {}) =>
  connectTemporal({ address: address(), namespace: 'default', prefix, log, ...options })

async function act(name: string): Promise<string> {
  const attempt = (attempts.get(name) ?? 0) + 1
  attempts.set(name, attempt)
  if (name === 'broken') throw invalid({ name: 'is wrong' })
  if (name === 'shaky' && attempt === 1) throw new Error('lost the connection')
  if (name === 'held') {
    arrived.resolve()
    await held.promise
    finished = true
  }
  return `${name} after ${attempt}`
}

function work(through: Temporal, taskQueue = 'fixture'): Promise<AsyncDisposable> {
  const modules = [new URL('../fixture/counting.workflow.ts', import.meta.url)]
  return through.work({ taskQueue, workflows: modules, activities: { act }, log })
}

/** A process with a Temporal worker, whose connection to Temporal is cut. */
let cutOff: ChildProcess
let cutOffOutput = ''

const fixtureProcess = (name: string): ChildProcess =>
  spawn(process.execPath, [fileURLToPath(new URL(`../fixture/${name}.ts`, import.meta.url))])

beforeAll(async () => {
  // Started first, because Temporal's library reports a lost connection only after six seconds.
  cutOff = fixtureProcess('cut-temporal')
  for (const stream of [cutOff.stdout, cutOff.stderr]) {
    stream?.on('data', (text) => {
      cutOffOutput += text
    })
  }
  workflows = stack.use(connect())
  worker = await work(workflows)
})

afterAll(async () => {
  cutOff.kill('SIGKILL')
  await worker[Symbol.asyncDispose]()
  await stack.disposeAsync()
})

const start = (type: string, id: string, ...args: unknown[]) =>
  workflows.start({ type, id, taskQueue: 'fixture', args })

const resultOf = (id: string): Promise<unknown> =>
  workflows.client.workflow.getHandle(`${prefix}/${id}`).result()

test('a second start joins the run, which receives its trigger', async () => {
  await start('counting', 'count/1', 3)
  const first = await workflows.client.workflow.getHandle(`${prefix}/count/1`).describe()
  await Promise.all([start('counting', 'count/1', 3), start('counting', 'count/1', 3)])
  expect(await resultOf('count/1')).toBe(3)
  const last = await workflows.client.workflow.getHandle(`${prefix}/count/1`).describe()
  expect(last.runId).toBe(first.runId)
})

test('an activity is retried after transient errors only', async () => {
  await start('acting', 'act/shaky', 'shaky')
  await start('acting', 'act/broken', 'broken')
  expect(await resultOf('act/shaky')).toBe('shaky after 2')
  await expect(resultOf('act/broken')).rejects.toMatchObject({
    cause: { cause: { message: 'Invalid request', type: 'InvalidArgument' } },
  })
  expect(attempts.get('broken')).toBe(1)
})

const nightly = { taskQueue: 'fixture', cron: '5 0 * * *' }

/** Polls until a schedule's description satisfies the condition; returns it, null if missing. */
function described(id: string, isExpected: (found: ScheduleDescription | null) => boolean) {
  const handle = workflows.client.schedule.getHandle(`${prefix}/${id}`)
  return eventually(() => handle.describe().catch(() => null), isExpected)
}

test('a schedule is created once and follows its definition', async () => {
  const hourly = { type: 'counting', id: 'hourly', taskQueue: 'fixture', args: [1] }
  await using other = connect()
  for (const one of [workflows, other]) one.schedule({ ...hourly, cron: '5 * * * *' })
  // One connection creates the schedule, the other updates it. Waits for that update.
  await described('hourly', (found) => found?.info.lastUpdatedAt !== undefined)
  workflows.schedule({ ...hourly, cron: '20 * * * *', args: [2] })
  const found = await described(
    'hourly',
    (one) => one?.spec.calendars?.[0]?.minute?.[0]?.start === 20,
  )
  expect(found?.spec.calendars?.map(({ minute }) => minute)).toEqual([
    [{ start: 20, end: 20, step: 1 }],
  ])
  expect(found?.action).toMatchObject({ workflowType: 'counting', args: [2] })
  workflows.unschedule('hourly')
})

test('a former schedule is deleted, and a missing one is no error', async () => {
  workflows.schedule({ ...nightly, type: 'counting', id: 'former', args: [1] })
  await described('former', (found) => found !== null)
  workflows.unschedule('never')
  workflows.unschedule('former')
  await described('former', (found) => found === null)
})

test('schedules that Temporal has lost are created again, triggered and logged', async () => {
  const lines: string[] = []
  const own = pino({}, { write: (line: string) => void lines.push(JSON.parse(line).msg) })
  await using keeper = connect({ log: own, scheduleCheckMs: 50 })
  keeper.schedule({ ...nightly, type: 'acting', id: 'lost', args: ['lost'] })
  await described('lost', (found) => found !== null)
  await workflows.client.schedule.getHandle(`${prefix}/lost`).delete()
  await described('lost', (found) => (found?.info.numActionsTaken ?? 0) > 0)
  expect(lines).toEqual([
    'Temporal has lost schedules: they are made again',
    'schedules are in place again',
  ])
  keeper.unschedule('lost')
  await described('lost', (found) => found === null)
})

test('a process that starts while Temporal is away connects once it answers', async () => {
  await using proxy = await startProxy(`tcp://${address()}`)
  proxy.cut()
  await using early = connect({ address: new URL(proxy.url).host })
  await using _worker = await work(early, 'early')
  early.schedule({ ...nightly, type: 'acting', id: 'early', taskQueue: 'early', args: ['early'] })
  const call = { type: 'acting', id: 'early', taskQueue: 'early', args: ['early'] }
  await expect(early.start(call)).rejects.toMatchObject({ code: Code.Unavailable })
  proxy.mend()
  await described('early', (found) => (found?.info.numActionsTaken ?? 0) > 0)
  await early.start(call)
  expect(await resultOf('early')).toMatch(/^early after/)
  early.unschedule('early')
  await described('early', (found) => found === null)
})

test('a process that stops while Temporal is away ends its calls and exits cleanly', async () => {
  const stopping = fixtureProcess('stop-temporal')
  let printed = ''
  stopping.stderr?.on('data', (text) => {
    printed += text
  })
  const [code] = await once(stopping, 'close')
  expect({ code, printed }).toEqual({ code: 0, printed: '' })
})

test('a worker continues after its connection broke', async () => {
  await using proxy = await startProxy(`tcp://${address()}`)
  await using distant = connect({ address: new URL(proxy.url).host })
  await using _worker = await work(distant, 'distant')
  const call = (id: string) =>
    workflows.start({ type: 'acting', id, taskQueue: 'distant', args: [id] })
  await call('before')
  expect(await resultOf('before')).toBe('before after 1')
  proxy.cut()
  await call('after')
  proxy.mend()
  expect(await resultOf('after')).toMatch(/^after after/)
})

test('stopping a worker waits for the running activity', async () => {
  await using own = connect()
  const stopping = await work(own, 'stopping')
  await workflows.start({ type: 'acting', id: 'held', taskQueue: 'stopping', args: ['held'] })
  await arrived.promise
  let stopped = false
  const stop = stopping[Symbol.asyncDispose]().then(() => {
    stopped = true
  })
  const run = workflows.client.workflow.getHandle(`${prefix}/held`)
  expect((await run.describe()).status.name).toBe('RUNNING')
  expect(stopped).toBe(false)
  held.resolve()
  await stop
  expect(finished).toBe(true)
  await run.terminate()
})

test('a sibling queue is under the same prefix', () => {
  expect(siblingQueue('coffer/ledger', 'budgeting')).toBe('coffer/budgeting')
  expect(siblingQueue('a/b/ledger', 'feed-sync')).toBe('a/b/feed-sync')
})

test('the native core logs to the log of the process, repeated lines once', async () => {
  const output = async () => cutOffOutput
  const written = await eventually(output, (text) => text.split('retried').length > 3)
  cutOff.kill('SIGKILL')
  await once(cutOff, 'close')
  const lines = written.split('\n').slice(0, -1)
  const core = lines.map((line) => JSON.parse(line)).filter(({ target }) => target)
  expect(core.map(({ level }) => level).slice(0, 3)).toEqual([40, 20, 20])
})
