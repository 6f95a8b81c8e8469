import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { CertificateFiles } from '@coffer/test/secured/certificates.ts'
import { homeName } from './launch.ts'

/** An HTTP proxy that serves another server below a path of its own, as nginx does. */
export interface PathProxy extends AsyncDisposable {
  /** Address with the path, without a slash at its end. */
  url: string
  /** Names the server behind; without one every answer is 404. */
  forwardTo: (baseUrl: string) => void
  /** Closes every connection without an answer from now on, like a server that is away. */
  goAway: () => void
  /** Answers this status itself, like a proxy whose server is away: always, or so many times. */
  refuse: (status: number, times?: number) => void
  /** Closes the connection in place of each answer to URLs with this part, until `forwardTo`. */
  lose: (part: string) => void
  /** Closes it in the middle of each body instead. */
  cut: (part: string) => void
  /**
   * Holds back answers to URLs with this part, until the returned function is called: with `true`
   * it closes their connections instead.
   */
  hold: (part: string) => (isLost?: boolean) => void
  /** `Cookie` headers of requests beside the path. */
  strayCookies: string[]
}

/**
 * Starts a proxy on a free port. Requests beside the path are 404. With a certificate it is that of
 * a home server with TLS.
 */
export async function startPathProxy(path: string, tls?: CertificateFiles): Promise<PathProxy> {
  const strayCookies: string[] = []
  let target: URL | null = null
  let isAway = false
  const holds = createHolds()
  let lost = { part: '', isCut: false }
  let refusal = { status: 0, times: 0 }
  const pass = (asked: IncomingMessage, answer: ServerResponse) => {
    const { url = '', method, headers } = asked
    if (isAway) return void asked.socket.destroy()
    if (refusal.times > 0) return refuse(answer, refusal)
    const isBelow = url === path || url.startsWith(`${path}/`)
    if (target === null || !isBelow) {
      if (headers.cookie) strayCookies.push(headers.cookie)
      answer.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Beside</h1>')
      return
    }
    const own = url.slice(path.length) || '/'
    const { hostname, port } = target
    const released = holds.endOf(own)
    const sent = request({ hostname, port, method, headers, path: own }, (got) => {
      if (own.includes(lost.part || '\n')) return void breakOff(got, answer, lost.isCut)
      void released.then((isLost) => {
        if (isLost) answer.destroy()
        else got.pipe(answer.writeHead(got.statusCode ?? 502, got.headers))
      })
    })
    sent.on('error', () => answer.destroy())
    answer.on('close', () => sent.destroy())
    asked.pipe(sent)
  }
  const server = (
    tls === undefined
      ? createServer(pass)
      : createTlsServer({ key: readFileSync(tls.key), cert: readFileSync(tls.certificate) }, pass)
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = tls === undefined ? 'http://127.0.0.1' : `https://${homeName}`
  return {
    url: `${origin}:${(server.address() as AddressInfo).port}${path}`,
    forwardTo: (baseUrl) => {
      target = new URL(baseUrl)
      isAway = false
      lost = { part: '', isCut: false }
      refusal = { status: 0, times: 0 }
    },
    goAway: () => {
      isAway = true
    },
    refuse: (status, times = Number.POSITIVE_INFINITY) => {
      isAway = false
      refusal = { status, times }
    },
    lose: (part) => {
      lost = { part, isCut: false }
    },
    cut: (part) => {
      lost = { part, isCut: true }
    },
    hold: holds.hold,
    strayCookies,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}

/**
 * Returns how to hold back answers, and for a new request the end of the hold on its answer:
 * whether the answer is lost.
 */
function createHolds() {
  const free = { part: '\n', end: Promise.resolve(false) }
  let held = free
  return {
    endOf: (url: string) => (url.includes(held.part) ? held : free).end,
    hold: (part: string) => {
      const { promise: end, resolve } = Promise.withResolvers<boolean>()
      held = { part, end }
      return (isLost = false) => {
        held = free
        resolve(isLost)
      }
    },
  }
}

/** Answers once for a server that is away. */
function refuse(answer: ServerResponse, refusal: { status: number; times: number }): void {
  refusal.times -= 1
  const type = { 'content-type': 'text/html' }
  answer.writeHead(refusal.status, type).end('<h1>The server is away</h1>')
}

/** Closes the connection in place of an answer, or in the middle of its body. */
function breakOff(got: IncomingMessage, answer: ServerResponse, isCut: boolean): void {
  if (!isCut) return void answer.destroy()
  answer.writeHead(got.statusCode ?? 502, got.headers)
  got.once('data', (body: Buffer) => {
    answer.write(body.subarray(0, body.length / 2), () => answer.destroy())
  })
}
