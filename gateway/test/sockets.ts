import { once } from 'node:events'
import { WebSocket } from 'ws'
import { byKey } from './gateway.ts'

/** A socket to a gateway on a port of this host, with the frames that it has received. */
export interface TestSocket {
  socket: WebSocket
  frames: { status: string }[]
  /** Resolves to the close code and its reason. */
  closed: Promise<unknown[]>
}

/** Opens a socket, by default with the test user's API key. */
export function openSocket(
  port: number,
  path: string,
  headers: Record<string, string> = byKey,
): TestSocket {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers })
  const frames: TestSocket['frames'] = []
  socket.on('message', (data) => frames.push(JSON.parse(String(data))))
  return { socket, frames, closed: once(socket, 'close') }
}

/** The answer to a refused upgrade: status, JSON body, `Connection` and `Retry-After`. */
export interface RefusedUpgrade {
  status: number
  body: { error: string }
  connection: string | undefined
  retryAfter: string | undefined
}

/** Opens a socket that is refused. Returns the answer. */
export async function refusedUpgrade(
  port: number,
  path: string,
  headers?: Record<string, string>,
): Promise<RefusedUpgrade> {
  const { socket } = openSocket(port, path, headers)
  const opened = once(socket, 'open').then(() => {
    socket.terminate()
    throw new Error('the socket was opened')
  })
  const refused = once(socket, 'unexpected-response')
  const [request, response] = await Promise.race([refused, opened])
  let text = ''
  for await (const chunk of response) text += chunk
  request.destroy()
  return {
    status: response.statusCode,
    body: JSON.parse(text),
    connection: response.headers.connection,
    retryAfter: response.headers['retry-after'],
  }
}
