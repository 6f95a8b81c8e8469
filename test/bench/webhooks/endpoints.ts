import { text } from 'node:stream/consumers'
import { newPerson } from '../../harness/person.ts'
import { listen } from '../../providers/http-server.ts'

// Each registration hashes a password.
const registeredAtOnce = 4

/** Endpoints of webhooks, one path for each account, that count what arrives. */
export interface EndpointHost extends AsyncDisposable {
  url: string
  /** Host and port, for the setting that allows them. */
  host: string
  /** Time in ms from the save of each change to its first arrival, since the last call. */
  takeDelays: () => number[]
  /** Number of changes that have arrived since then. */
  arrived: () => number
  /** Number of requests of changes that came before, since the last call of `takeDelays`. */
  repeated: () => number
  /** Lets the endpoint of an account answer no more. */
  kill: (accountId: string) => void
}

/** Starts the endpoints; they answer at once. */
export async function startHost(): Promise<EndpointHost> {
  let delays: number[] = []
  let repeated = 0
  let dead = ''
  const seen = new Set<string>()
  const server = await listen(async (request, response) => {
    const arrivedAt = Date.now()
    const body = await text(request)
    if (request.url === `/${dead}`) return
    const id = `${request.url} ${request.headers['webhook-id']}`
    // The clock of the server is that of this machine.
    if (seen.has(id)) repeated += 1
    else delays.push(arrivedAt - Date.parse(JSON.parse(body).data.at))
    seen.add(id)
    response.writeHead(204).end()
  })
  return {
    url: server.origin,
    host: new URL(server.origin).host,
    takeDelays: () => {
      const taken = delays
      delays = []
      repeated = 0
      return taken
    },
    arrived: () => delays.length,
    repeated: () => repeated,
    kill: (accountId) => {
      dead = accountId
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** An account with a bank account and a webhook. */
export interface Household {
  accountId: string
  enable: (isEnabled: boolean) => Promise<unknown>
  /** Creates a transaction: one change. */
  buy: () => Promise<unknown>
}

/** Registers people, each with a webhook at the host. */
export async function createEndpoints(
  baseUrl: string,
  url: string,
  count: number,
): Promise<Household[]> {
  const households: Household[] = []
  const create = async () => {
    while (households.length < count) {
      const index = households.push({} as Household) - 1
      households[index] = await createHousehold(baseUrl, url)
    }
  }
  await Promise.all(Array.from({ length: registeredAtOnce }, create))
  return households
}

async function createHousehold(baseUrl: string, url: string): Promise<Household> {
  const person = await newPerson(baseUrl, { timezone: 'UTC' })
  const { accountId } = person
  const { path } = await person.createBankAccount()
  const types = ['transaction.created']
  const webhook = await person.post('/webhooks', { url: `${url}/${accountId}`, types })
  return {
    accountId,
    enable: (isEnabled) => person.patch(`/webhooks/${webhook.webhookId}`, { isEnabled }),
    buy: () => {
      const date = new Date().toISOString()
      return person.post(`${path}/transactions`, { name: 'Tea', amount: 100, date })
    },
  }
}
