import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An HTTP server of this process. Its disposal ends all connections. */
interface Listening extends AsyncDisposable {
  /** Address without a path, such as `http://127.0.0.1:4036`. */
  origin: string
}

/** Starts an HTTP server on the loopback address; on a free port unless one is given. */
export async function listen(
  serve: (request: IncomingMessage, response: ServerResponse) => unknown,
  port = 0,
): Promise<Listening> {
  const server = createServer((request, response) => void serve(request, response))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
