import { Agent, type ClientRequest } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { callerRefusedHeader } from '@coffer/kit/rpc/errors'
import type { MeshTls } from './mesh-tls.ts'
import { createReplicas, type Ejection, type Replica } from './replicas.ts'
import { attemptHeader } from './retry.ts'

/** Time in ms without a first byte of an answer after which a replica is probed. */
const silentMs = 1_000

/** Hook of Node's Agent that assigns a connection to a request; missing in Node's types. */
interface Requesting extends Agent {
  addRequest: (request: ClientRequest, options: { host: string; port: number }) => void
}

/** A request that is not answered yet. */
interface Waiting {
  replica: Replica
  socket: Duplex & { connecting?: boolean }
  /** Whether the caller repeats the request if its connection breaks. */
  isRepeated: boolean
}

/**
 * Creates the keep-alive connections to the replicas of a service. They are closed at an age of
 * `msMax`, because new replicas receive calls only over new connections. A second attempt uses a
 * new connection, since the replica that broke the first one may have broken others. When a replica
 * is ejected, its idle connections are closed, and its repeatable calls end, unless it is stopping
 * and finishes them. With TLS, each connection uses the current certificates, without session
 * resumption (RFC 8446 2.2), which would keep a former certificate in use.
 */
export function createAgent(urls: string[], msMax: number, tls: MeshTls | null = null): Agent {
  const agent = newAgent(msMax, tls)
  const waiting = new Map<ClientRequest, Waiting>()
  const connected = new WeakMap<Duplex, { madeAt: number; replica: Replica }>()
  const onEjected = (ejected: Replica, why: Ejection) => {
    for (const socket of Object.values(agent.freeSockets).flatMap((idle) => idle ?? [])) {
      if (connected.get(socket)?.replica === ejected) socket.destroy()
    }
    if (why === 'fails') endCalls(waiting, ejected)
  }
  const replicas = createReplicas(urls, onEjected, tls)
  const watch = (request: ClientRequest, socket: Duplex, isRepeated: boolean) => {
    const replica = connected.get(socket)?.replica
    if (!replica || !replicas.areSeveral()) return
    waiting.set(request, { replica, socket, isRepeated })
    const since = performance.now()
    const timer = setTimeout(() => replicas.suspect(replica, since), silentMs)
    const end = () => {
      clearTimeout(timer)
      waiting.delete(request)
    }
    request.once('response', ({ statusCode, headers }) => {
      end()
      replicas.heard(replica, statusCode === 503)
      if (headers[callerRefusedHeader] !== undefined) replicas.refused(replica)
      if (headers.connection === 'close') replicas.leaves(replica)
    })
    request.once('error', (error: NodeJS.ErrnoException) => {
      // An abort by the caller has no error code of the system, and does not count as a failure.
      if (typeof error.code === 'string') replicas.failed(replica, error.syscall === 'connect')
    })
    request.once('close', end)
  }
  const { addRequest, createConnection, destroy, keepSocketAlive } = agent
  agent.addRequest = (request, target) => {
    const attempt = request.getHeader(attemptHeader)
    request.removeHeader(attemptHeader)
    const idle = attempt === 'second' ? agent.freeSockets[agent.getName(target)] : []
    for (const socket of idle ?? []) socket.destroy()
    request.once('socket', (socket) => watch(request, socket, attempt === 'first'))
    addRequest.call(agent, request, target)
  }
  agent.createConnection = (target, done) => {
    const connect = async () => {
      const replica = await replicas.pick()
      const { host, port, servername } = replica
      const secured = tls ? { ...tls.context(), servername } : {}
      const options = { ...target, host, port, ...secured }
      const socket = createConnection.call(agent, options) as Socket
      if (tls) awaitHandshake(socket)
      connected.set(socket, { madeAt: performance.now(), replica })
      return socket
    }
    connect().then(
      (socket) => done?.(null, socket),
      (error) => done?.(error, null as never),
    )
    return undefined
  }
  agent.keepSocketAlive = (socket) => {
    const { madeAt, replica } = connected.get(socket) ?? { madeAt: 0, replica: null }
    const isYoung = performance.now() - madeAt < msMax
    return isYoung && !replica?.isEjected && keepSocketAlive.call(agent, socket)
  }
  agent.destroy = () => {
    replicas[Symbol.dispose]()
    destroy.call(agent)
  }
  return agent
}

function newAgent(msMax: number, tls: MeshTls | null): Requesting {
  const options = { keepAlive: true, maxSockets: 256, timeout: msMax, scheduling: 'fifo' as const }
  const agent = tls ? new TlsAgent({ ...options, maxCachedSessions: 0 }) : new Agent(options)
  return agent as Requesting
}

/** Connections during the TLS handshake: no request was sent on them. */
const handshaking = new WeakSet<Duplex>()

/** Marks a failed handshake as an error of connect(2), since no request was sent. */
function awaitHandshake(socket: Socket): void {
  const mark = (error: NodeJS.ErrnoException) => {
    error.syscall = 'connect'
  }
  handshaking.add(socket)
  socket.prependOnceListener('error', mark)
  socket.once('secureConnect', () => {
    handshaking.delete(socket)
    socket.off('error', mark)
  })
}

/** Ends the calls to an ejected replica that were not sent yet or are repeatable. */
function endCalls(waiting: Map<ClientRequest, Waiting>, ejected: Replica): void {
  for (const [request, { replica, socket, isRepeated }] of waiting) {
    if (replica !== ejected) continue
    if (socket.connecting || handshaking.has(socket))
      request.destroy(silence({ code: 'ETIMEDOUT', syscall: 'connect' }))
    else if (isRepeated) request.destroy(silence({ code: 'ECONNRESET' }))
  }
}

function silence(fields: { code: string; syscall?: string }): Error {
  return Object.assign(new Error('the replica does not answer'), fields)
}
