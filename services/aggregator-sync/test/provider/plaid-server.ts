import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'

/** A request that a server received; `body` is its JSON. */
export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: Record<string, unknown>
}

/** A server in place of Plaid whose answers a test writes, on a free port of 127.0.0.1. */
export interface PlaidServer extends AsyncDisposable {
  url: string
  received: Received[]
  serve: (response: ServerResponse, request: Received) => void
}

/** Starts a server that answers 200 `{}` until its `serve` is set. */
export async function startPlaidServer(): Promise<PlaidServer> {
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray()
    const { url: path = '', headers } = request
    const text = Buffer.concat(chunks).toString() || '{}'
    const received = { path, headers, body: JSON.parse(text) }
    plaid.received.push(received)
    plaid.serve(response, received)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const plaid: PlaidServer = {
    url: `http://127.0.0.1:${port}`,
    received: [],
    serve: (response) => answer(response, 200, {}),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
  return plaid
}

/** Sends a whole answer as JSON; texts as they are. */
export function answer(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
}

/** Sends an error with this code as Plaid does. */
export function fail(
  response: ServerResponse,
  status: number,
  of: { code: string; type?: string; message?: string },
): void {
  answer(response, status, {
    error_type: of.type ?? 'ITEM_ERROR',
    error_code: of.code,
    error_message: of.message ?? 'failed',
    display_message: null,
    request_id: 'HNTDNrA8F1shFEW',
  })
}

/** Sends a text compressed by gzip. */
export function answerCompressed(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text))
}
