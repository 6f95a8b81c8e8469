import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An instance of the provider whose answers a test writes, on a free port of 127.0.0.1. */
export interface Instance extends AsyncDisposable {
  /** Base URL, with the IP address as its host. */
  url: string
  port: number
  /** Paths and queries of all requests, below the base URL. */
  requests: string[]
  /** Host headers of all requests. */
  hosts: string[]
}

export type Serve = (response: ServerResponse, path: string, request: IncomingMessage) => void

const base = '/api/v1'

/** Starts an instance that serves all requests by `serve`. */
export async function startInstance(serve: Serve): Promise<Instance> {
  const requests: string[] = []
  const hosts: string[] = []
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(base, '')
    requests.push(path)
    hosts.push(request.headers.host ?? '')
    serve(response, path, request)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${base}`,
    port,
    requests,
    hosts,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/** Sends a whole answer. */
export function answer(
  response: ServerResponse,
  status: number,
  { body = '{}', headers = {} }: { body?: string; headers?: Record<string, string> } = {},
): void {
  response.writeHead(status, headers).end(body)
}
