import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A TCP proxy whose line a test can cut and mend. */
export interface TcpProxy extends AsyncDisposable {
  url: string
  cut: () => void
  mend: () => void
}

/** Opens a proxy to the address of the URL; its own URL differs in host and port alone. */
export async function openProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((near) => {
    if (isCut) return near.destroy()
    const far = connect(Number(port), hostname)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => sockets.delete(socket))
    }
    near.pipe(far).pipe(near)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = typeof address === 'object' && address ? String(address.port) : ''
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: url.href.replace(/\/$/, ''),
    cut,
    mend: () => {
      isCut = false
    },
    [Symbol.asyncDispose]: async () => {
      cut()
      await once(server.close(), 'close')
    },
  }
}
