import { createHmac } from 'node:crypto'

/**
 * Returns the headers of a request by Standard Webhooks (https://www.standardwebhooks.com): an
 * HMAC-SHA256 signature over ID, time and body for each key.
 */
export function signedHeaders(
  { id, at, body }: { id: string; at: Date; body: string },
  keys: readonly Buffer[],
): Record<string, string> {
  const seconds = `${Math.floor(at.getTime() / 1000)}`
  const signatures = keys.map((key) => {
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': signatures.join(' '),
  }
}
