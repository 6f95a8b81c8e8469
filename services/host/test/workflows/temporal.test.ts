import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { invalid } from '@coffer/kit/rpc/errors'
import { startProxy } from '@coffer/kit/testing/proxy'
import { newId } from '@coffer/kit/values/id'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { ScheduleDescription } from '@temporalio/client'
import { pino } from 'pino'
import { createLog } from '../../src/logger.ts'
import type { Temporal } from '../../src/workflows/temporal.ts'
import {
  connectTemporal,
  type TemporalOptions,
  workflowQueue,
} from '../../src/workflows/temporal.ts'
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

function work(through: Temporal): Promise<AsyncDisposable> {
  const modules = [new URL('../fixture/counting.workflow.ts', import.meta.url)]
  const activities = { act }
  return through.work({ taskQueue: workflowQueue, workflows: modules, activities, log })
}

/** A process with a Temporal worker, whose connection to Temporal is cut. */
let cutOff: ChildProcess
let cutOffOutput = ''

const fixtureProcess = (name: string): ChildProcess =>
  spawn(process.execPath, [fileURLToPath(new URL(`../fixture/${name}.ts`, import.meta.url))])

beforeAll(async () => {
  // This process starts before the other setup, because Temporal's library reports a lost
  // connection only after six seconds.
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

const start = (type: string, id: string, ...args: unknown[]) => workflows.start({ type, id, args })

const runOf = (id: string, of = prefix) =>
  workflows.client.workflow.getHandle(`${of}/${workflowQueue}/${id}`)

const resultOf = (id: string, of = prefix): Promise<unknown> => runOf(id, of).result()

test('a second start joins the run, which receives its trigger', async () => {
  await start('counting', 'count/1', 3)
  const first = await runOf('count/1').describe()
  await Promise.all([start('counting', 'count/1', 3), start('counting', 'count/1', 3)])
  expect(await resultOf('count/1')).toBe(3)
  const last = await runOf('count/1').describe()
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

const nightly = { cron: '5 0 * * *' }

/** Polls until a schedule's description satisfies the condition; returns it, null if missing. */
function described(
  id: string,
  isExpected: (found: ScheduleDescription | null) => boolean,
  of = prefix,
) {
  const handle = workflows.client.schedule.getHandle(`${of}/${workflowQueue}/${id}`)
  return eventually(() => handle.describe().catch(() => null), isExpected)
}

test('a schedule is created once and follows its definition', async () => {
  const hourly = { type: 'counting', id: 'hourly', args: [1] }
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

test('an older version that starts leaves a schedule of a higher revision', async () => {
  const schedule = { type: 'counting', id: 'revised', args: [1] }
  await using newer = connect({ scheduleCheckMs: 50 })
  newer.schedule({ ...schedule, cron: '20 * * * *', revision: 2 })
  const isNewer = (found: ScheduleDescription | null) =>
    found?.spec.calendars?.[0]?.minute?.[0]?.start === 20
  await described('revised', isNewer)
  workflows.schedule({ ...schedule, cron: '5 * * * *' })
  workflows.schedule({ ...nightly, ...schedule, id: 'later' })
  await described('later', (found) => found !== null)
  expect(isNewer(await described('revised', (found) => found !== null))).toBe(true)

  // A version that knows no revisions replaces the definition; the newer one puts it back.
  const handle = workflows.client.schedule.getHandle(`${prefix}/${workflowQueue}/revised`)
  await handle.update(({ action: { memo: _, ...action }, ...previous }) => ({
    ...previous,
    action,
    spec: { cronExpressions: ['5 * * * *'] },
  }))
  await described('revised', isNewer)
  for (const id of ['revised', 'later']) workflows.unschedule(id)
  newer.unschedule('revised')
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
  await workflows.client.schedule.getHandle(`${prefix}/${workflowQueue}/lost`).delete()
  await described('lost', (found) => (found?.info.numActionsTaken ?? 0) > 0)
  expect(lines).toEqual([
    'Temporal has lost schedules: they are made again',
    'schedules are in place again',
  ])
  keeper.unschedule('lost')
  await described('lost', (found) => found === null)
})

test('a schedule that Temporal does not have is triggered, one that it has is not', async () => {
  const hourly = { cron: '5 * * * *', type: 'acting', id: 'new', args: ['new'] }
  const options = { scheduleCheckMs: 50, newScheduleMs: 0 }
  await using first = connect(options)
  first.schedule(hourly)
  await described('new', (found) => found?.info.numActionsTaken === 1)
  await using other = connect(options)
  other.schedule({ ...hourly, args: ['changed'] })
  const found = await described('new', (one) => one?.info.lastUpdatedAt !== undefined)
  expect(found?.info.numActionsTaken).toBe(1)
  first.unschedule('new')
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
  const of = `${prefix}-distant`
  await using distant = connect({ address: new URL(proxy.url).host, prefix: of })
  await using _worker = await work(distant)
  await using near = connect({ prefix: of })
  const call = (id: string) => near.start({ type: 'acting', id, args: [id] })
  await call('before')
  expect(await resultOf('before', of)).toBe('before after 1')
  proxy.cut()
  await call('after')
  proxy.mend()
  expect(await resultOf('after', of)).toMatch(/^after after/)
})

test('stopping a worker waits for the running activity', async () => {
  const of = `${prefix}-stopping`
  await using own = connect({ prefix: of })
  const stopping = await work(own)
  await own.start({ type: 'acting', id: 'held', args: ['held'] })
  await arrived.promise
  let stopped = false
  const stop = stopping[Symbol.asyncDispose]().then(() => {
    stopped = true
  })
  const run = runOf('held', of)
  expect((await run.describe()).status.name).toBe('RUNNING')
  expect(stopped).toBe(false)
  held.resolve()
  await stop
  expect(finished).toBe(true)
  await run.terminate()
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
