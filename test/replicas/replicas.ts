import { startBalancer, type Target } from '@coffer/local/balancer'
import { type Deployment, deploy, ownProgram, type Part, type Program } from '../harness/process.ts'

/** One process of a mesh. */
export interface Member extends Omit<Part, 'start'> {
  /** The kind of process and its number, such as `ledger-1`. */
  name: string
  /** Starts the process on its ports, by default of this version; waits until it is ready. */
  start: (program?: Program) => Promise<void>
}

/** Replicas of the gateway and of the services, behind a balancer. */
export interface Replicas extends AsyncDisposable {
  /** Address of the balancer. */
  baseUrl: string
  deployment: Deployment
  /** The processes, the services before the gateways that call them. */
  members: Member[]
}

export type ReplicasOptions = {
  /**
   * Names of the services of each kind of process; default: one kind with all services. Gateways
   * are processes of their own, unless a kind names the gateway.
   */
  kinds?: string[][]
  /** Number of processes of each kind. */
  count?: number
  environment?: Record<string, string>
  /** Version that the processes run at first; default: this one. */
  program?: Program
  /** Changes the addresses with which a process reaches others, such as to those of proxies. */
  route?: (name: string, settings: Record<string, string>) => Promise<Record<string, string>>
  /** Starts a balancer over the gateways; default: the one of `npm start -- --mesh`. */
  balance?: (targets: Target[]) => Promise<AsyncDisposable & { url: string }>
}

const services = ['identity', 'ledger', 'budgeting', 'aggregator-sync', 'feed-sync', 'notices']

/** Each service in a process of its own. */
export const eachService = services.map((name) => [name])

/** The gateway and all services in one process. */
export const allInOne = [['gateway', ...services]]

/** Longer than the balancer takes to notice, as it is for `npm start -- --mesh`. */
const lameDuck = { COFFER_LAME_DUCK_SECONDS: '3' }

/** Number of processes that start at once: each takes a processor for some seconds. */
const startsAtOnce = 2

/** Starts the processes of the services, then the gateways, then the balancer. */
export async function startReplicas({
  kinds = [services],
  count = 2,
  environment = {},
  program = ownProgram,
  route = async (_name, settings) => settings,
  balance = (targets) => startBalancer({ targets, port: 0 }),
}: ReplicasOptions = {}): Promise<Replicas> {
  await using opening = new AsyncDisposableStack()
  const deployment = opening.use(await deploy({ ...lameDuck, ...environment }))
  const planned: { names: string[]; name: string; part: Part }[] = []
  const gateway = kinds.some((names) => names.includes('gateway')) ? [] : [['gateway']]
  for (const names of [...kinds, ...gateway]) {
    for (let number = 1; number <= count; number += 1) {
      const part = await deployment.part(...names)
      const kind = names.length === 1 ? names[0] : 'services'
      planned.push({ names, name: `${kind}-${number}`, part })
    }
  }
  const urls = urlsOf(planned)
  const members: Member[] = []
  for (const { names, name, part } of planned) {
    const others = Object.entries(urls).filter(([service]) => !names.includes(service))
    const addresses = others.map(([service, url]) => [variableOf(service), url])
    const settings = await route(name, Object.fromEntries(addresses))
    const start = (of = ownProgram) => part.start(settings, { program: of })
    members.push({ ...part, name, start })
  }
  for (let from = 0; from < members.length; from += startsAtOnce) {
    await Promise.all(members.slice(from, from + startsAtOnce).map(({ start }) => start(program)))
  }
  const gateways = planned.filter(({ names }) => names.includes('gateway'))
  const targets = gateways.map(({ part: { baseUrl, url } }) => {
    return { url: baseUrl, probeUrl: `${url}/readyz` }
  })
  const balancer = opening.use(await balance(targets))
  const open = opening.move()
  return {
    baseUrl: balancer.url,
    deployment,
    members,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** Returns the addresses of the processes of each service, separated by commas. */
function urlsOf(planned: { names: string[]; part: Part }[]): Record<string, string> {
  const entries = services.map((service) => {
    const hosts = planned.filter(({ names }) => names.includes(service))
    return [service, hosts.map(({ part }) => part.url).join(',')]
  })
  return Object.fromEntries(entries)
}

function variableOf(service: string): string {
  return `COFFER_${service.replaceAll('-', '_').toUpperCase()}_URL`
}
