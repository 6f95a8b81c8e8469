// node test/bench/sign-in-storm.ts [sign-ins per second]: measures the latency of reads without and
// with concurrent sign-ins.
import { Agent } from 'node:http'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '@coffer/local/bootstrap/paths.mjs'
import { createProgress } from '@coffer/local/bootstrap/progress.mjs'
import { runScript } from '@coffer/local/script'
import { newPerson, type Person } from '../harness/person.ts'
import { ask, createTally, type Outcome, type Tally } from './requests.ts'
import { type Measured, runMeasured } from './server.ts'

const dataDir = join(root, '.coffer/bench')
const people = 100
const registeredAtOnce = 4
const readers = 4
const proxyConnections = 256
const rounds = 3
const warmUpMs = 2_000
const phaseMs = 8_000
const tickMs = 5

// Clients state their address in a proxy header. Each sign-in states another one, so the sign-in
// limit of a network refuses none.
const settings = { COFFER_TRUSTED_PROXIES: '127.0.0.1' }
const perSecond = Number(process.argv[2] ?? 200)
const log = createProgress()

await runScript((stop) => runMeasured({ dataDir, log, stop, settings }, measureStorm))

async function measureStorm({ baseUrl }: Measured): Promise<number> {
  const persons = await log.step('people', `registering ${people}`, () => register(baseUrl))
  const [reader] = persons
  if (!reader) throw new Error('no person is registered')
  const read = await readOf(baseUrl, reader)
  const agent = new Agent({ keepAlive: true, maxSockets: proxyConnections })
  const signIn = (number: number) => login(`${baseUrl}/api`, agent, { persons, number })
  await during(warmUpMs, [(stop) => reads(read, stop), (stop) => storm(signIn, 10, stop)])
  let isSound = true
  for (let round = 1; round <= rounds; round += 1) {
    const load = loadavg()[0]
    const [alone = createTally()] = await during(phaseMs, [(stop) => reads(read, stop)])
    const [beside = createTally(), logins = createTally()] = await during(phaseMs, [
      (stop) => reads(read, stop),
      (stop) => storm(signIn, perSecond, stop),
    ])
    log.say('alone', JSON.stringify({ load, ...alone.figures() }))
    log.say('beside', JSON.stringify(beside.figures()))
    log.say('sign-ins', JSON.stringify({ perSecond, ...logins.figures() }))
    log.say('p99', `${(beside.figures().p99Ms / alone.figures().p99Ms).toFixed(2)} times as long`)
    isSound &&= [alone, beside, logins].every((tally) => tally.isSound())
  }
  return isSound ? 0 : 1
}

async function register(baseUrl: string): Promise<Person[]> {
  const persons: Person[] = []
  const registerSome = async () => {
    while (persons.length < people) persons.push(await newPerson(baseUrl))
  }
  await Promise.all(Array.from({ length: registeredAtOnce }, registerSome))
  return persons
}

type Read = (tally: Tally) => Promise<void>

async function readOf(baseUrl: string, person: Person): Promise<Read> {
  const { path } = await person.createBankAccount(1000)
  const agent = new Agent({ keepAlive: true, maxSockets: readers })
  const { authorization } = person
  const url = `${baseUrl}/api${path}/balances`
  return (tally) => tally.count(() => ask({ url, agent, headers: { authorization } }))
}

/** Runs the loads concurrently for `ms`. Returns their counts and latencies. */
async function during(
  ms: number,
  all: ((stop: AbortSignal) => Promise<Tally>)[],
): Promise<Tally[]> {
  const stop = AbortSignal.timeout(ms)
  return Promise.all(all.map((run) => run(stop)))
}

/** Sends reads over several connections, one after the other on each, until `stop` is aborted. */
async function reads(read: Read, stop: AbortSignal): Promise<Tally> {
  const tally = createTally()
  const readOn = async () => {
    while (!stop.aborted) await read(tally)
  }
  await Promise.all(Array.from({ length: readers }, readOn))
  return tally
}

/** Sends `perSecond` sign-ins a second without waiting for their answers (open loop). */
async function storm(
  signIn: (number: number) => Promise<Outcome>,
  perSecond: number,
  stop: AbortSignal,
): Promise<Tally> {
  const tally = createTally()
  const sent: Promise<void>[] = []
  const startedAt = performance.now()
  while (!stop.aborted) {
    const due = ((performance.now() - startedAt) / 1000) * perSecond
    while (sent.length < due) sent.push(tally.count(() => signIn(sent.length)))
    await sleep(tickMs)
  }
  await Promise.all(sent)
  return tally
}

function login(
  baseUrl: string,
  agent: Agent,
  { persons, number }: { persons: Person[]; number: number },
): Promise<Outcome> {
  const { email = '', password = '' } = persons[number % persons.length] ?? {}
  const address = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
  return ask({
    url: `${baseUrl}/authentication/login`,
    agent,
    headers: { 'x-forwarded-for': address },
    body: JSON.stringify({ email, password }),
  })
}
