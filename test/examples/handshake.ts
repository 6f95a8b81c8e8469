import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Json } from '../harness/person.ts'

/** Sends the handshake of a WebSocket (RFC 6455, 4.1). Returns its refusal. */
export function sendHandshake(
  baseUrl: string,
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; body: Json }> {
  const upgrade = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-key': Buffer.alloc(16).toString('base64'),
    'sec-websocket-version': '13',
  }
  return new Promise((resolve, reject) => {
    const sent = request(`${baseUrl}/api${path}`, {
      headers: { ...upgrade, ...headers },
      timeout: 60_000,
    })
    sent.on('error', reject)
    sent.on('timeout', () => sent.destroy(new Error(`${path}: no answer`)))
    sent.on('upgrade', (_response, socket) => {
      socket.destroy()
      reject(new Error(`${path}: the WebSocket opened`))
    })
    sent.on('response', (response) => {
      const { statusCode: status = 0 } = response
      text(response).then((body) => resolve({ status, body: JSON.parse(body) }), reject)
    })
    sent.end()
  })
}
