import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A request that a receiver has got. */
export interface Received {
  id: string
  path: string
  headers: Record<string, string>
  body: string
  type: string
  /** The change, as the body has it. */
  data: { changeId: string; objectId: string; version: number; actor: string }
}

/** Answers a request; its number counts from 1. */
export type Respond = (response: ServerResponse, request: Received & { number: number }) => unknown

/** A program that gets webhooks, on a free port of 127.0.0.1; a test scripts its answers. */
export interface Receiver extends AsyncDisposable {
  url: string
  /** Host and port, for the setting that allows them. */
  host: string
  requests: Received[]
  /** IDs of the requests in the order of their arrival. */
  ids: () => string[]
  respond: (by: Respond) => void
}

const accept: Respond = (response) => response.writeHead(204).end()

/** Starts a receiver that answers by 204 until a test scripts another answer. */
export async function startReceiver(port = 0): Promise<Receiver> {
  const requests: Received[] = []
  let respond = accept
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    const headers = request.headers as Record<string, string>
    const parsed = { type: '', data: {}, ...JSON.parse(body || '{}') }
    const path = request.url ?? ''
    const received = { id: headers['webhook-id'] ?? '', path, headers, body, ...parsed }
    requests.push(received)
    await respond(response, { ...received, number: requests.length })
  }
  const server = createServer((request, response) => void serve(request, response))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `http://${host}/hook`,
    host,
    requests,
    ids: () => requests.map(({ id }) => id),
    respond: (by) => {
      respond = by
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
