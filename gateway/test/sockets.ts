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

/** Returns the answer to a refused upgrade, and its header `Connection`. */
export async function refusedUpgrade(
  port: number,
  path: string,
  headers?: Record<string, string>,
): Promise<{ status: number; body: { error: string }; connection: string | undefined }> {
  const { socket } = openSocket(port, path, headers)
  const [request, response] = await once(socket, 'unexpected-response')
  let text = ''
  for await (const chunk of response) text += chunk
  request.destroy()
  return {
    status: response.statusCode,
    body: JSON.parse(text),
    connection: response.headers.connection,
  }
}
