import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy that cuts one connection after a number of bytes. */
export interface CuttingProxy extends AsyncDisposable {
  url: string
  /** Cuts the connection that forwards the byte after the next `bytes`, of either direction. */
  cutAfter: (bytes: number) => void
  /** Returns the number of connections cut so far. */
  cuts: () => number
}

/** Starts a proxy to the host and port of a URL; on a free port unless one is given. */
export async function startCuttingProxy(target: string, own = 0): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let left = Number.POSITIVE_INFINITY
  let cuts = 0
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('error', () => from.destroy())
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      from.on('data', (bytes: Buffer) => {
        if (bytes.length <= left) {
          left -= bytes.length
          to.write(bytes)
          return
        }
        // The last bytes are sent before the end of the connection.
        to.end(bytes.subarray(0, left))
        from.destroy()
        left = Number.POSITIVE_INFINITY
        cuts += 1
      })
    }
  }).listen(own, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cutAfter: (bytes) => {
      left = bytes
    },
    cuts: () => cuts,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await once(server.close(), 'close')
    },
  }
}
