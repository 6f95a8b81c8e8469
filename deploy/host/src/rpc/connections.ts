import { Agent, type ClientRequest } from 'node:http'
import type { Duplex } from 'node:stream'
import { attemptHeader } from './retry.ts'

/** The hook by which Node gives a request one of the agent's connections; not in Node's types. */
interface Requesting extends Agent {
  addRequest: (request: ClientRequest, options: { host: string; port: number }) => void
}

/**
 * Creates a keep-alive agent that closes connections older than `msMax`: new replicas receive calls
 * only over new connections. The second attempt of a call gets a new connection: the replica that
 * broke the first one may have left more of them behind.
 */
export function createAgent(msMax: number): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 256, timeout: msMax }) as Requesting
  const madeAt = new WeakMap<Duplex, number>()
  const { addRequest, createConnection, keepSocketAlive } = agent
  agent.addRequest = (request, options) => {
    const isSecond = request.getHeader(attemptHeader) === 'second'
    request.removeHeader(attemptHeader)
    const idle = isSecond ? agent.freeSockets[agent.getName(options)] : []
    for (const socket of idle ?? []) socket.destroy()
    addRequest.call(agent, request, options)
  }
  agent.createConnection = (...made) => {
    const socket = createConnection.apply(agent, made)
    if (socket) madeAt.set(socket, performance.now())
    return socket
  }
  agent.keepSocketAlive = (socket) => {
    const age = performance.now() - (madeAt.get(socket) ?? 0)
    return age < msMax && keepSocketAlive.call(agent, socket)
  }
  return agent
}
