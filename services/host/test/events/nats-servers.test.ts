import { expect, test } from '@jest/globals'
import { connectBroker } from '../../src/events/nats.ts'
import { natsFault, natsOptions } from '../../src/events/nats-servers.ts'
import { silentLog } from '../../testing/silent-log.ts'

test('servers without user information, and their sign-in', () => {
  const { servers, authenticator, tls } = natsOptions({
    url: 'nats://me:77@n-0.example, nats://n-1.example:4333,n-2.example',
  })
  expect(servers).toEqual(['n-0.example:4222', 'n-1.example:4333', 'n-2.example:4222'])
  expect([authenticator].flat()[0]?.()).toEqual({ user: 'me', pass: '77' })
  expect(tls).toBeUndefined()
  const token = natsOptions({ url: 'tls://s3cret@n-0.example' })
  expect([token.authenticator].flat()[0]?.()).toEqual({ auth_token: 's3cret' })
  expect(token.tls).toEqual({})
  expect(natsOptions({ url: 'nats://[::1]:4222' }).servers).toEqual(['[::1]:4222'])
})

test('servers that cannot be used are refused', async () => {
  const texts = 'must be URLs, nats://host:4222 or tls://host:4222, separated by commas'
  for (const url of ['', 'http://n.example', 'nats://a.example,', 'wss://n.example']) {
    expect(natsFault({ url })).toBe(texts)
  }
  expect(natsFault({ url: 'nats://a:1@x,nats://b:2@y' })).toMatch(/need the same user/)
  expect(natsFault({ url: 'nats://a:1@x', credentialsFile: '/c' })).toMatch(/credentials too$/)
  expect(natsFault({ url: 'nats://x', certificateFile: '/c' })).toBe('a certificate needs its key')
  for (const servers of [{ url: 'tls://10.0.0.1' }, { url: 'nats://10.0.0.1', caFile: '/ca' }]) {
    expect(natsFault(servers)).toBe('TLS needs the name of the server instead of 10.0.0.1')
  }
  const broker = { prefix: 't', serviceNames: [], log: silentLog }
  expect(() => natsOptions({ url: 'http://n.example' })).toThrow('COFFER_NATS_URL: must be URLs')
  await using away = await connectBroker({ ...broker, url: 'http://n.example' })
  expect(away.hasConnected()).toBe(false)
})
