// npm run bench:traces -- [rounds]: measures the processor time that traces cost.
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
const rounds = Number(process.argv[2] ?? 3)
const ratios = ['0', '0.01', '1']
const clients = 8
const warmUp = 800
const counts = { pages: 3_000, visits: 150 }
const transaction = {
  name: 'Groceries',
  amount: 1_250,
  date: '2026-03-02T06:00:00Z',
  adjustsBalance: true,
}

const log = createProgress()

await runScript((stop) => runMeasured({ dataDir, log, stop }, measureTraces))

/** Processor time of one ratio: ms per request of a page, and of a visit. */
interface Figures {
  page: number[]
  visit: number[]
  /** Bytes that the collector received for each request. */
  bytes: number
}

async function measureTraces({ baseUrl, stack }: Measured): Promise<number> {
  const person = await newPerson(baseUrl)
  const path = await createHousehold(person)
  await using collector = await startCollector()
  const all = new Map<string, Figures>(
    ratios.map((ratio) => [ratio, { page: [], visit: [], bytes: 0 }]),
  )
  for (let round = 1; round <= rounds; round++) {
    for (const [ratio, figures] of all) {
      const settings = { COFFER_TRACE_RATIO: ratio, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
      await using traced = await startCoffer(dataDir, stack, settings)
      const send = requester(traced.baseUrl, person)
      const measure = async (count: number, work: () => Promise<number>) => {
        const before = { cpu: cpuMs(traced.coffer.pid), bytes: collector.bytes() }
        const requests = await repeatWork(count, work)
        figures.bytes = (collector.bytes() - before.bytes) / requests
        return (cpuMs(traced.coffer.pid) - before.cpu) / requests
      }
      const page = async () => {
        await send('GET', `${path}/transactions?limit=25`)
        return 1
      }
      const visit = () => visitHousehold(send, path)
      await repeatWork(warmUp, page)
      await repeatWork(warmUp / 14, visit)
      figures.visit.push(await measure(counts.visits, visit))
      figures.page.push(await measure(counts.pages, page))
      log.say('bench', JSON.stringify({ round, ratio, ...figures, loads: loadavg() }))
    }
  }
  for (const [ratio, { page, visit, bytes }] of all) {
    const figures = { ratio, page: median(page), visit: median(visit), bytes: Math.round(bytes) }
    log.say('bench', JSON.stringify(figures))
  }
  return 0
}

type Send = (method: string, path: string, body?: unknown) => Promise<unknown>

function requester(baseUrl: string, { cookie }: Person): Send {
  return async (method, path, body) => {
    const answer = await fetch(`${baseUrl}/api${path}`, {
      method,
      headers: { cookie, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
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
async function startCollector(): Promise<AsyncDisposable & { url: string; bytes: () => number }> {
  let bytes = 0
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    bytes: () => bytes,
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
