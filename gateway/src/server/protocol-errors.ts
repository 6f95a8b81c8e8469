import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { refused } from '@coffer/kit/rpc/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorRenderer } from '../http/errors/problem-details.ts'

/** The answer to a malformed or incomplete request. */
interface ProtocolError {
  status: number
  error: string
  headers?: Record<string, string>
}

export interface ProtocolErrors {
  /** Answers errors of Node's HTTP parser; set as Fastify's `clientErrorHandler`. */
  answer: (error: NodeJS.ErrnoException, socket: Duplex) => void
  /** Adds checks that the parser lacks: Host, unknown Expect, malformed WebSocket handshakes. */
  register: (app: FastifyInstance) => void
}

const malformed = { status: 400, error: 'the request is not well-formed HTTP' }

// Answers by the error code of Node or of its parser llhttp.
const parserErrors: Record<string, ProtocolError> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    error: 'the headers are larger than 16 KiB: send fewer cookies or a shorter URL',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, error: 'the chunk extensions are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, error: 'the request did not arrive in time' },
}

/**
 * Lingering close: delay in ms between the answer to a malformed request and the close of its
 * connection. An immediate close would reset the connection and lose the answer.
 */
const lingerMs = 1_000

/**
 * Returns the handlers that answer errors of Node, Fastify and ws (RFC 9110, 15.5) with the same
 * JSON body and headers as all other errors. They close the connection if the parser cannot find
 * the next request. `Accept` applies only if the headers have been parsed.
 */
export function protocolErrors(
  common: Record<string, string>,
  render: ErrorRenderer,
): ProtocolErrors {
  const running = new WeakMap<Duplex, FastifyReply | null>()
  const answered = new WeakSet<Duplex>()

  const end = (socket: Duplex, refusal: ProtocolError): void => {
    const reply = running.get(socket)
    // An answer that has started cannot be replaced, so only the connection is closed.
    if (!socket.writable || reply?.raw.headersSent) {
      socket.destroy()
      return
    }
    answered.add(socket)
    const id = reply ? { 'x-request-id': reply.request.id } : {}
    const { status, error } = refusal
    const rendered = render(reply?.request.headers ?? {}, { status, body: { error } })
    socket.end(messageOf(refusal, { ...common, ...id }, rendered))
    const linger = setTimeout(() => socket.destroy(), lingerMs)
    socket.once('close', () => clearTimeout(linger))
  }

  return {
    answer: (error, socket) => {
      // Answered once: each further chunk from the client raises the error again.
      if (!answered.has(socket)) end(socket, parserErrors[error.code ?? ''] ?? malformed)
    },
    register: (app) => {
      app.addHook('onRequest', (request, reply, done) => {
        running.set(request.raw.socket, reply)
        requireHost(request)
        requireKnownExpectation(request)
        done()
      })
      app.addHook('onResponse', (request, _reply, done) => {
        running.set(request.raw.socket, null)
        done()
      })
      app.server.on('checkExpectation', app.routing)
      app.websocketServer.on('wsClientError', ({ message }, socket) => {
        const headers = { 'sec-websocket-version': '13' }
        end(socket, { status: 400, error: `not a WebSocket handshake: ${message}`, headers })
      })
    },
  }
}

/**
 * Value of Host (RFC 9110, 7.2): a name, an IPv4 or bracketed IPv6 address, and an optional port.
 */
const hostValue = /^(\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(:\d*)?$/i

/**
 * Throws refused for a missing, repeated or malformed Host header (RFC 9112, 3.2). Node's own check
 * answers a missing one without a body, and keeps the first of several.
 */
function requireHost({ raw, headers: { host } }: FastifyRequest): void {
  if (host === undefined) {
    if (raw.httpVersion === '1.0') return
    throw refused('the Host header is missing: HTTP/1.1 requires it')
  }
  let count = 0
  for (let at = 0; at < raw.rawHeaders.length; at += 2) if (isHost(raw.rawHeaders[at])) count += 1
  if (count > 1) throw refused('the Host header was sent twice: send it once')
  if (!hostValue.test(host)) throw refused('the Host header is not a host with an optional port')
}

function isHost(name = ''): boolean {
  return name.length === 4 && name.toLowerCase() === 'host'
}

function requireKnownExpectation({ headers: { expect } }: FastifyRequest): void {
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    throw refused('the only expectation that can be met is 100-continue', { status: 417 })
  }
}

function messageOf(
  { status, headers }: ProtocolError,
  common: Record<string, string>,
  { type, text }: ReturnType<ErrorRenderer>,
): string {
  const fields = {
    ...common,
    ...headers,
    connection: 'close',
    'content-type': type,
    'content-length': String(Buffer.byteLength(text)),
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', text].join('\r\n')
}
