import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '@coffer/host/testing/boot'
import { freePorts } from '@coffer/local/ports'
import { expect, test } from '@jest/globals'
import { deployment } from '../testing/deployment.ts'
import { startCommand } from './command.ts'

const lameDuckSeconds = 4
const clients = 6
/** Pause of a client between two requests, in ms: without one they take all processor time. */
const pauseMs = 10

/** Starts a gateway alone; the requests of these tests reach no service. */
async function startGateway(env: Record<string, string>) {
  const [port = 0, rpcPort = 0, grpcPort = 0] = await freePorts(3)
  const services = ['IDENTITY', 'LEDGER', 'BUDGETING', 'AGGREGATOR_SYNC', 'FEED_SYNC', 'NOTICES']
  await using opening = new AsyncDisposableStack()
  const command = startCommand(['serve', 'gateway'], {
    ...env,
    ...Object.fromEntries(services.map((name) => [`COFFER_${name}_URL`, 'http://127.0.0.1:1'])),
    COFFER_LAME_DUCK_SECONDS: String(lameDuckSeconds),
    COFFER_PORT: String(port),
    COFFER_RPC_PORT: String(rpcPort),
    COFFER_GRPC_PORT: String(grpcPort),
  })
  const running = opening.use(command)
  await eventually(
    async () => running.printed(),
    (printed) => printed.includes('ready: '),
  )
  opening.move()
  return { ...running, port, rpcPort }
}

async function get(port: number, agent: Agent) {
  const call = request({ port, agent, path: '/api/locale/currency' }).end()
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  const { connection } = response.headers
  return { status: response.statusCode, connection, body: await text(response) }
}

test('a gateway whose services are away is neither healthy nor ready, and says why', async () => {
  await using place = await deployment()
  await using running = await startGateway(place.env)
  const { port, rpcPort, child, outcome } = running
  const health = await fetch(`http://127.0.0.1:${port}/api/health`)
  expect(health.status).toBe(500)
  expect(await health.json()).toMatchObject({ dbHealthy: false, apiHealthy: true })
  const ready = await fetch(`http://127.0.0.1:${rpcPort}/readyz`)
  expect(ready.status).toBe(503)
  const away = 'does not answer (ECONNREFUSED)'
  const others = ['budgeting', 'aggregator-sync', 'feed-sync', 'notices']
  const lacks = ['identity', 'ledger', ...others].map((name) => `${name}: ${away}\n`)
  expect(await ready.text()).toBe(`not ready\n${lacks.join('')}`)
  child.kill('SIGKILL')
  const { stderr } = await outcome
  const lines = stderr
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  expect(lines.map(({ msg, service }) => `${service} ${msg}`).sort()).toEqual(
    ['aggregator-sync', 'budgeting', 'feed-sync', 'identity', 'ledger', 'notices'].map(
      (name) => `${name} service is away`,
    ),
  )
})

test('a rolling restart under load fails no request', async () => {
  await using place = await deployment()
  await using first = await startGateway(place.env)
  await using second = await startGateway(place.env)
  const answers: Awaited<ReturnType<typeof get>>[] = []
  const failures: unknown[] = []
  let isOver = false
  let { port } = first
  const client = async (): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (!isOver) {
      await get(port, agent).then(
        (answer) => answers.push(answer),
        (error) => failures.push(error),
      )
      await sleep(pauseMs)
    }
    agent.destroy()
  }
  const idle = new Agent({ keepAlive: true })
  expect(await get(first.port, idle)).toMatchObject({ connection: 'keep-alive' })
  const load = Promise.all(Array.from({ length: clients }, client))
  await eventually(
    async () => answers.length,
    (count) => count > 100,
  )
  first.child.kill('SIGTERM')
  const readiness = async () => (await fetch(`http://127.0.0.1:${first.rpcPort}/readyz`)).text()
  await eventually(readiness, (text) => text.startsWith('not ready\nstopping\n'))
  // The connection of the agent `idle` had no request when SIGTERM arrived.
  expect(await get(first.port, idle)).toMatchObject({ status: 401, connection: 'close' })
  await eventually(
    async () => answers.filter(({ connection }) => connection === 'close').length,
    (count) => count >= clients,
  )
  // A load balancer would now send requests to the second process.
  port = second.port
  expect(await first.outcome).toMatchObject({ code: 0 })
  const before = answers.length
  await eventually(
    async () => answers.length,
    (count) => count > before + 20,
  )
  isOver = true
  await load
  second.child.kill('SIGKILL')
  await second.outcome
  expect(failures).toEqual([])
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]))
})
