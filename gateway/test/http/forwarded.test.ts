import { createLog } from '@coffer/host/logger'
import { unauthenticated } from '@coffer/kit/rpc/errors'
import { expect, test } from '@jest/globals'
import { startGateway } from '../../src/main.ts'
import { createGateway } from '../gateway.ts'

const body = JSON.stringify({ email: 'alice@example.com', password: 'a long password' })

/** Sends failed sign-ins by X-Forwarded-For address; returns their statuses and the warnings. */
async function signInsOf(clients: string[], environment: Record<string, string>) {
  const warnings: { msg: string; peer: string }[] = []
  const to = { write: (line: string) => warnings.push(JSON.parse(line)) }
  const log = createLog({ level: 'warn', name: 'test', to })
  const login = () => {
    throw unauthenticated('WRONG_CREDENTIALS')
  }
  const limit = { COFFER_SIGN_IN_LIMIT_PER_MINUTE: '1' }
  await using gateway = await createGateway(
    { signIn: { login } },
    { ...limit, ...environment },
    { log },
  )
  await using server = await startGateway({ ...gateway.deps, host: '127.0.0.1', port: 0 })
  const statuses: number[] = []
  for (const client of clients) {
    const { status } = await fetch(`http://127.0.0.1:${server.port}/api/authentication/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': client },
      body,
    })
    statuses.push(status)
  }
  return { statuses, warnings }
}

test.each([
  ['no peer', {}, [401, 429, 429]],
  ['a proxy in the settings', { COFFER_TRUSTED_PROXIES: '127.0.0.0/8' }, [401, 401, 429]],
  ['another proxy', { COFFER_TRUSTED_PROXIES: '10.0.0.0/8' }, [401, 429, 429]],
])(
  'with %s trusted, X-Forwarded-For tells clients apart or is ignored',
  async (who, environment, statuses) => {
    const clients = ['192.0.2.1', '192.0.2.2', '192.0.2.1']
    const answered = await signInsOf(clients, environment)
    expect(answered.statuses).toEqual(statuses)
    const warning = {
      peer: '127.0.0.1',
      msg: expect.stringMatching(/^X-Forwarded-For .* COFFER_TRUSTED_PROXIES /),
    }
    expect(answered.warnings).toMatchObject(who === 'a proxy in the settings' ? [] : [warning])
  },
)
