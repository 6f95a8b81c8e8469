import { unauthenticated } from '@coffer/kit/rpc/errors'
import { afterEach, describe, expect, test } from '@jest/globals'
import { bySession, createGateway, type Gateway } from '../gateway.ts'
import { ids, key } from '../samples.ts'
import { alice } from '../stub-mesh.ts'

const listLinks = { links: { listLinks: () => ({ links: [] }) } }

let gateway: Gateway
afterEach(async () => await gateway[Symbol.asyncDispose]())

describe('API keys', () => {
  const apiKeys = {
    listApiKeys: () => ({ apiKeys: [key] }),
    createApiKey: () => ({ apiKey: { ...key, secret: 'coffer_secret_new' } }),
    deleteApiKey: () => ({}),
  }

  test('are managed by sessions', async () => {
    gateway = await createGateway({ apiKeys })
    const shown = {
      apiKeyId: ids.apiKeyId,
      name: 'Script',
      createdAt: '2026-01-02T03:04:05Z',
      createdBy: alice.userId,
      updatedAt: '2026-01-02T03:04:05Z',
      expiresAt: null,
      scope: 'full',
      lastUsedAt: null,
    }
    const listed = await gateway.send('GET', '/api/keys', { as: bySession })
    expect(listed.body).toEqual([shown])
    const created = await gateway.send('POST', '/api/keys', { as: bySession, body: { name: 'a' } })
    expect(created.body).toEqual({ ...shown, secret: 'coffer_secret_new' })
    const url = `/api/keys/${ids.apiKeyId}`
    expect((await gateway.send('DELETE', url, { as: bySession })).status).toBe(200)
  })

  test('cannot be managed by a key', async () => {
    gateway = await createGateway({ apiKeys })
    expect((await gateway.send('GET', '/api/keys')).status).toBe(401)
    expect((await gateway.send('POST', '/api/keys', { body: { name: 'a' } })).status).toBe(401)
    expect((await gateway.send('DELETE', `/api/keys/${ids.apiKeyId}`)).status).toBe(401)
    expect(gateway.received).toEqual([])
  })

  test('end at once when they are revoked here', async () => {
    let isLive = true
    gateway = await createGateway({
      ...listLinks,
      apiKeys: {
        deleteApiKey: () => {
          isLive = false
          return {}
        },
      },
      signIn: {
        verifyApiKey: () => {
          if (!isLive) throw unauthenticated('API_KEY_UNKNOWN')
          return { credential: alice }
        },
      },
    })
    expect((await gateway.send('GET', '/api/links')).status).toBe(200)
    await gateway.send('DELETE', `/api/keys/${ids.apiKeyId}`, { as: bySession })
    expect((await gateway.send('GET', '/api/links')).status).toBe(401)
  })
})
