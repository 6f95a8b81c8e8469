import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net'
import { Transform } from 'node:stream'

/** A TCP proxy whose connections a test can cut, silence and restore. */
export interface TcpProxy extends AsyncDisposable {
  /** The target's URL with the proxy's host and port. */
  url: string
  cut: () => void
  /** Drops all bytes in both directions, while connections stay open and new ones are accepted. */
  fallSilent: () => void
  mend: () => void
  /** Cuts all connections, and leads new ones to another target. */
  turnTo: (target: string) => void
  /**
   * Cuts the connection that sends this text before its answer arrives, after `after` earlier
   * occurrences; the client gets `instead`, if given. The returned function returns whether that
   * has happened.
   */
  loseAnswerTo: (text: string, after: number, instead?: Buffer) => () => boolean
  /** Holds back the next bytes that contain this text; resolves when a connection sends them. */
  hold: (text: string) => Promise<HeldLine>
  /**
   * Holds back the next COMMIT of a Postgres transaction that has sent this text, after `skipped`
   * earlier ones; resolves when a connection sends it.
   */
  holdCommit: (text: string, skipped: number) => Promise<HeldLine>
}

/** A connection whose last bytes the proxy holds back. */
export interface HeldLine {
  /** Closes the client's side of the connection. */
  cut: () => void
  /** Sends the held bytes to the server; resolves when the server has handled them. */
  deliver: () => Promise<unknown>
}

/** Faults that the proxy simulates. */
interface Faults {
  isCut: boolean
  isSilent: boolean
  lost: { text: string; after: number; instead: Buffer | null; isLost: boolean } | null
  awaited: Awaited | null
}

interface Awaited {
  text: string
  /** Text that the same transaction must have sent before. */
  within: string
  skipped: number
  resolve: (line: HeldLine) => void
}

/** Starts a TCP proxy to the host and port of a URL, or to the Unix socket of a Postgres URL. */
export async function startProxy(target: string): Promise<TcpProxy> {
  let to = addressOf(target)
  const sockets = new Set<Socket>()
  const faults: Faults = { isCut: false, isSilent: false, lost: null, awaited: null }
  const server = createServer((near) => {
    if (faults.isCut) return near.destroy()
    const far = connect(to)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => sockets.delete(socket))
    }
    join(near, far, faults)
    return undefined
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  const hold = (text: string, { within = '', skipped = 0 } = {}) =>
    new Promise<HeldLine>((resolve) => {
      faults.awaited = { text, within, skipped, resolve }
    })
  const cut = () => {
    faults.isCut = true
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: url.href.replace(/\/$/, ''),
    cut,
    fallSilent: () => {
      faults.isSilent = true
    },
    mend: () => {
      faults.isCut = false
      faults.isSilent = false
    },
    turnTo: (other) => {
      to = addressOf(other)
      for (const socket of sockets) socket.destroy()
    },
    loseAnswerTo: (text, after, instead) => {
      const lost = { text, after, instead: instead ?? null, isLost: false }
      faults.lost = lost
      return () => lost.isLost
    },
    hold: (text) => hold(text),
    holdCommit: (within, skipped) => hold('COMMIT', { within, skipped }),
    [Symbol.asyncDispose]: async () => {
      cut()
      await once(server.close(), 'close')
    },
  }
}

/** Returns the address of a URL; the host of a Unix socket is its directory (libpq). */
function addressOf(target: string): NetConnectOpts {
  const { hostname, port } = new URL(target)
  const host = decodeURIComponent(hostname)
  if (host.startsWith('/')) return { path: `${host}/.s.PGSQL.${port}` }
  return { host, port: Number(port) }
}

/** Forwards bytes between two sockets in both directions, unless a fault in `faults` is set. */
function join(near: Socket, far: Socket, faults: Faults): void {
  let isHeld = false
  near.on('close', () => isHeld || far.destroy())
  far.on('close', () => near.destroy())
  near.on('data', (sent: Buffer) => {
    const { lost } = faults
    if (lost === null || !sent.includes(lost.text)) return
    lost.after -= 1
    if (lost.after >= 0) return
    faults.lost = null
    far.unpipe()
    far.once('data', () => {
      lost.isLost = true
      if (lost.instead) near.end(lost.instead)
      else near.destroy()
    })
    far.resume()
  })
  let isWithin = false
  const hold = (sent: Buffer): boolean => {
    const { awaited } = faults
    if (isHeld || !awaited) return isHeld
    if (sent.includes('START TRANSACTION')) isWithin = false
    isWithin ||= sent.includes(awaited.within)
    if (!isWithin || !sent.includes(awaited.text)) return false
    awaited.skipped -= 1
    if (awaited.skipped >= 0) return false
    isHeld = true
    far.unpipe()
    const deliver = () => {
      far.resume().end(sent)
      return once(far, 'close')
    }
    awaited.resolve({ cut: () => near.destroy(), deliver })
    faults.awaited = null
    return true
  }
  const line = (isDropped: (bytes: Buffer) => boolean) =>
    new Transform({
      transform: (bytes, _encoding, done) => {
        return faults.isSilent || isDropped(bytes) ? done() : done(null, bytes)
      },
    })
  // A killed client ends its side; the server still gets what is held.
  const sending = near.pipe(line(hold))
  sending.pipe(far, { end: false })
  sending.on('end', () => isHeld || far.end())
  far.pipe(line(() => false)).pipe(near)
}
