// npm run bench:traces -- [turns]: measures the processor time that traces cost.
import { createServer } from 'node:http'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { root } from '@coffer/local/bootstrap/paths.mjs'
import { createProgress } from '@coffer/local/bootstrap/progress.mjs'
import { runScript } from '@coffer/local/script'
import { newPerson, type Person } from '../harness/person.ts'
import { cpuMs } from './reader.ts'
import { type Measured, runMeasured, startCoffer } from './server.ts'

const dataDir = join(root, '.coffer/bench')
const turns = Number(process.argv[2] ?? 30)
const ratios = ['0', '0.01', '1']
const clients = 8
const warmUp = 800
const counts = { page: 400, visit: 20 }
const transaction = {
  name: 'Groceries',
  amount: 1_250,
  date: '2026-03-02T06:00:00Z',
  adjustsBalance: true,
}

const log = createProgress()

await runScript((stop) => runMeasured({ dataDir, log, stop }, measureTraces))

/** A process with one share of traced requests. CPU in ms per request, one value for each burst. */
interface Traced {
  ratio: string
  pid: number
  send: Send
  page: number[]
  visit: number[]
}

async function measureTraces({ baseUrl, stack }: Measured): Promise<number> {
  const person = await newPerson(baseUrl)
  const path = await createHousehold(person)
  await using collector = await startCollector()
  await using started = new AsyncDisposableStack()
  const processes: Traced[] = []
  for (const ratio of ratios) {
    const settings = { COFFER_TRACE_RATIO: ratio, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
    const one = started.use(await startCoffer(dataDir, stack, settings))
    const send = requester(one.baseUrl, person)
    processes.push({ ratio, pid: one.coffer.pid, send, page: [], visit: [] })
  }
  const works = (send: Send) => ({
    page: async () => {
      await send('GET', `${path}/transactions?limit=25`)
      return 1
    },
    visit: () => visitHousehold(send, path),
  })
  for (const { send } of processes) {
    await repeatWork(warmUp, works(send).page)
    await repeatWork(warmUp / 14, works(send).visit)
  }
  // Round robin among processes that all live throughout: the speed of the machine drifts.
  for (let turn = 0; turn < turns; turn++) {
    const first = turn % processes.length
    for (const one of [...processes.slice(first), ...processes.slice(0, first)]) {
      for (const kind of ['page', 'visit'] as const) {
        const before = cpuMs(one.pid)
        const requests = await repeatWork(counts[kind], works(one.send)[kind])
        one[kind].push((cpuMs(one.pid) - before) / requests)
      }
    }
  }
  for (const { ratio, page, visit } of processes) {
    const [base] = processes
    const figures = { ratio, page: median(page), visit: median(visit) }
    const more = (kind: 'page' | 'visit') =>
      median({ page, visit }[kind].map((ms, turn) => ms / (base?.[kind][turn] ?? Number.NaN)))
    const times = { page: more('page'), visit: more('visit') }
    log.say('bench', JSON.stringify({ ...figures, times, loads: loadavg() }))
  }
  return 0
}

type Send = (method: string, path: string, body?: unknown) => Promise<unknown>

function requester(baseUrl: string, { cookie }: Person): Send {
  return async (method, path, body) => {
    const answer = await fetch(`${baseUrl}/api${path}`, {
      method,
      headers: {
        cookie,
        'accept-encoding': 'identity',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer.arrayBuffer()
  }
}

/** Creates a bank account with 200 transactions; returns its path. */
async function createHousehold(person: Person): Promise<string> {
  const { path } = await person.createBankAccount(1_000_000)
  for (let count = 0; count < 200; count++) await person.post(`${path}/transactions`, transaction)
  return path
}

/** One visit: 13 reads and a write, in turn. Returns the number of requests. */
async function visitHousehold(send: Send, path: string): Promise<number> {
  const before = ['/users/me', '/links', path, `${path}/balances`, `${path}/funding_schedules`]
  const lists = [`${path}/spending`, `${path}/transactions?limit=25`]
  const after = [`${path}/balances`, ...lists, `${path}/spending`, `${path}/forecast`, '/links']
  for (const one of [...before, ...lists]) await send('GET', one)
  await send('POST', `${path}/transactions`, transaction)
  for (const one of after) await send('GET', one)
  return 1 + before.length + lists.length + after.length
}

/** Runs work `count` times by `clients` at once; returns the number of requests. */
async function repeatWork(count: number, work: () => Promise<number>): Promise<number> {
  let left = count
  let requests = 0
  const run = async () => {
    while (left-- > 0) {
      const sent = await work()
      requests += sent
    }
  }
  await Promise.all(Array.from({ length: clients }, run))
  return requests
}

/** An OTLP endpoint that takes everything. */
async function startCollector(): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
