import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An HTTP proxy that serves another server below a path of its own, as nginx does. */
export interface PathProxy extends AsyncDisposable {
  /** Address with the path, without a slash at its end. */
  url: string
  /** Names the server behind; without one every answer is 404. */
  forwardTo: (baseUrl: string) => void
  /** Closes every connection without an answer from now on, like a server that is away. */
  goAway: () => void
  /** `Cookie` headers of requests beside the path. */
  strayCookies: string[]
}

/** Starts a proxy on a free port. Requests beside the path are 404. */
export async function startPathProxy(path: string): Promise<PathProxy> {
  const strayCookies: string[] = []
  let target: URL | null = null
  let isAway = false
  const pass = (asked: IncomingMessage, answer: ServerResponse) => {
    const { url = '', method, headers } = asked
    if (isAway) return void asked.socket.destroy()
    const isBelow = url === path || url.startsWith(`${path}/`)
    if (target === null || !isBelow) {
      if (headers.cookie) strayCookies.push(headers.cookie)
      answer.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Beside</h1>')
      return
    }
    const { hostname, port } = target
    const own = url.slice(path.length) || '/'
    const sent = request({ hostname, port, method, headers, path: own }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers)
      got.pipe(answer)
    })
    sent.on('error', () => answer.destroy())
    answer.on('close', () => sent.destroy())
    asked.pipe(sent)
  }
  const server = createServer(pass).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    forwardTo: (baseUrl) => {
      target = new URL(baseUrl)
      isAway = false
    },
    goAway: () => {
      isAway = true
    },
    strayCookies,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}
