import { unauthenticated } from '@coffer/kit/errors'
import { expect, test } from '@jest/globals'
import { startGateway } from '../src/main.ts'
import { openGateway } from './gateway.ts'

const body = JSON.stringify({ email: 'alice@example.com', password: 'a long password' })

/** Statuses of failed sign-ins, one for each client that a proxy names. */
async function signInsOf(clients: string[], environment: Record<string, string>) {
  const login = () => {
    throw unauthenticated('wrong email or password')
  }
  const limit = { COFFER_SIGN_IN_LIMIT_PER_MINUTE: '1' }
  await using gateway = await openGateway({ signIn: { login } }, { ...limit, ...environment })
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
  return statuses
}

test.each([
  ['nobody', {}, [401, 429, 429]],
  ['a proxy in the settings', { COFFER_TRUSTED_PROXIES: '127.0.0.0/8' }, [401, 401, 429]],
  ['another proxy', { COFFER_TRUSTED_PROXIES: '10.0.0.0/8' }, [401, 429, 429]],
])('who a client is may be said by %s', async (_, environment, statuses) => {
  const clients = ['192.0.2.1', '192.0.2.2', '192.0.2.1']
  expect(await signInsOf(clients, environment)).toEqual(statuses)
})
