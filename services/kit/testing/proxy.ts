import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Transform } from 'node:stream'

/** A TCP proxy whose line a test can cut, silence and mend. */
export interface TcpProxy extends AsyncDisposable {
  /** The target's URL with the proxy's host and port. */
  url: string
  cut: () => void
  /** From now on swallows every byte of both sides; connections stay open, and new ones open. */
  fallSilent: () => void
  mend: () => void
  /** Cuts a connection that sends this text, after so many others have, and loses its answer. */
  loseAnswerTo: (text: string, after: number) => void
}

/** Opens a proxy to the host and port of the URL. */
export async function openProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let isCut = false
  let isSilent = false
  const line = () =>
    new Transform({
      transform: (bytes, _encoding, done) => (isSilent ? done() : done(null, bytes)),
    })
  let lost: { text: string; after: number } | null = null
  const server = createServer((near) => {
    if (isCut) return near.destroy()
    const far = connect(Number(port), hostname)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => sockets.delete(socket))
    }
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
    near.on('data', (sent: Buffer) => {
      if (lost === null || !sent.includes(lost.text)) return
      lost.after -= 1
      if (lost.after >= 0) return
      lost = null
      far.unpipe()
      far.once('data', () => near.destroy())
      far.resume()
    })
    near.pipe(line()).pipe(far)
    far.pipe(line()).pipe(near)
    return undefined
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: url.href.replace(/\/$/, ''),
    cut,
    fallSilent: () => {
      isSilent = true
    },
    mend: () => {
      isCut = false
      isSilent = false
    },
    loseAnswerTo: (text, after) => {
      lost = { text, after }
    },
    [Symbol.asyncDispose]: async () => {
      cut()
      await once(server.close(), 'close')
    },
  }
}
