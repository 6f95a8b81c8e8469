import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createClient, type WatchOptions } from '@coffer/client'
import type { ApiKey } from '@coffer/client/types'
import { newId } from '@coffer/kit/values/id'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import WebSocket, { WebSocketServer } from 'ws'
import type { Coffer } from '../harness/coffer.ts'
import { listen } from '../providers/http-server.ts'
import { startCofferWithKey } from './key.ts'

const stack = new AsyncDisposableStack()
let coffer: Coffer
let key: ApiKey
let path: { bankAccountId: string }

beforeAll(async () => {
  ;({ coffer, key, path } = stack.use(await startCofferWithKey()))
})

afterAll(() => stack.disposeAsync())

describe('a socket', () => {
  /** Uploads a file and watches it. Returns the statuses of the frames. */
  async function watched(options: WatchOptions) {
    const api = createClient({ baseUrl: coffer.baseUrl, key, WebSocket })
    const content = await readFile(new URL('../data/checking.qfx', import.meta.url))
    const data = new File([new Uint8Array(content)], 'checking.qfx')
    const { transactionUploadId } = (await api.createUpload({ path, body: { data } })).data
    const one = { ...path, transactionUploadId }
    const statuses: (string | undefined)[] = []
    for await (const { status } of api.watchUpload({ path: one, ...options })) statuses.push(status)
    return statuses
  }

  test('yields the frames of an upload once it is open, until it is complete', async () => {
    let opened = 0
    const onOpen = () => {
      opened += 1
    }
    const statuses = await watched({ onOpen })
    expect([statuses.at(-1), opened]).toEqual(['complete', 1])
  })

  test('ends with the error of onOpen, and with the reason of the signal', async () => {
    const onOpen = () => Promise.reject(new Error('not started'))
    await expect(watched({ onOpen })).rejects.toThrow('not started')
    const signal = AbortSignal.abort(new Error('stopped'))
    await expect(watched({ signal })).rejects.toThrow('stopped')
  })

  test.each([
    ['ws', { WebSocket }],
    ['this Node.js', {}],
  ])('that is refused tells why, with the class of %s', async (_, options) => {
    const api = createClient({ baseUrl: coffer.baseUrl, key, ...options })
    const watch = (of: string) =>
      api.watchUpload({ path: { ...path, transactionUploadId: of } }).next()
    const unknown = { status: 404, message: 'transaction upload: record does not exist' }
    await expect(watch(newId('txup'))).rejects.toMatchObject({ name: 'CofferError', ...unknown })
    await expect(watch('txup_1')).rejects.toMatchObject({ name: 'CofferError', status: 400 })
    const away = createClient({ baseUrl: 'http://127.0.0.1:9', key, ...options })
    const lost = away.watchUpload({ path: { ...path, transactionUploadId: newId('txup') } })
    await expect(lost.next()).rejects.toThrow('The socket failed')
  })

  test('that sends no JSON ends with an error', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    server.on('connection', (socket) => socket.send('<html>'))
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const api = createClient({ baseUrl: `http://127.0.0.1:${port}`, key, WebSocket })
    const frames = api.watchUpload({ path: { ...path, transactionUploadId: 'txup_1' } })
    await expect(frames.next()).rejects.toThrow('not JSON')
    for (const socket of server.clients) socket.terminate()
    server.close()
  })

  test('with a key is refused by the class of browsers, which takes no headers', async () => {
    class OfBrowser extends WebSocket {
      constructor(url: string, protocols?: string | string[]) {
        if (typeof protocols === 'object' && !Array.isArray(protocols)) throw new SyntaxError()
        super(url, protocols)
      }
    }
    const api = createClient({ baseUrl: coffer.baseUrl, key, WebSocket: OfBrowser })
    const frames = api.watchUpload({ path: { ...path, transactionUploadId: newId('txup') } })
    await expect(frames.next()).rejects.toThrow('A browser sends no API key')
  })

  test('that does not open is given up in time', async () => {
    await using server = await listen(() => {})
    const api = createClient({ baseUrl: server.origin, key, WebSocket })
    const place = { ...path, transactionUploadId: 'txup_1' }
    const silent = api.watchUpload({ path: place, timeoutMs: 50 }).next()
    await expect(silent).rejects.toMatchObject({ name: 'TimeoutError' })
  })
})
