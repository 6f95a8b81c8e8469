import { once } from 'node:events'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { eventually } from '@coffer/host/testing/boot'
import { listen } from '../providers/http-server.ts'

/** An HTTP proxy between two processes, in which a test holds single RPC calls. */
export interface RpcGate extends AsyncDisposable {
  /** Address of the proxy for the callers. */
  url: string
  /** Holds the next call that matches; later ones pass. */
  hold: (call: HeldCall) => Held
}

interface HeldCall {
  /** Name of the RPC method. */
  method: string
  /** Text that the request contains, such as an ID. */
  text: string
  /** Whether a request is held, which the service has not received, or an answer of the service. */
  side: 'request' | 'answer'
  /** Number of matching calls that pass before; by default 0. */
  skipped?: number
}

/** One call that the proxy holds. */
export interface Held {
  /** Resolves when the call is held; throws if it does not come. */
  reached: () => Promise<unknown>
  /** Forwards the call, or its answer. */
  release: () => void
  /** Breaks the caller's connection; the request or the answer is lost. */
  lose: () => void
}

/** A hold that waits for its call. */
type Awaited = HeldCall & { isHeld: boolean; isKept: Promise<boolean> }

/** Starts a proxy to a service, whose address is `target`. */
export async function startRpcGate(target: string): Promise<RpcGate> {
  const awaited: Awaited[] = []
  const server = await listen((incoming, outgoing) => {
    // The caller or the service was killed: the other side sees a broken connection.
    pass(target, { awaited, incoming, outgoing }).catch(() => outgoing.destroy())
  })
  return {
    url: server.origin,
    hold: (call) => {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const one = { ...call, isHeld: false, isKept: promise }
      awaited.push(one)
      return {
        reached: () =>
          eventually(
            async () => one,
            ({ isHeld }) => isHeld,
          ),
        release: () => resolve(true),
        lose: () => resolve(false),
      }
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** Forwards a call and its answer, unless a hold takes one of them. */
async function pass(
  target: string,
  of: { awaited: Awaited[]; incoming: IncomingMessage; outgoing: ServerResponse },
): Promise<void> {
  const { awaited, incoming, outgoing } = of
  const body = await buffer(incoming)
  const call = { path: incoming.url ?? '', body }
  await waitAt(take(awaited, 'request', call))
  const answer = await forward(target, { incoming, outgoing, body })
  await waitAt(take(awaited, 'answer', call))
  outgoing.writeHead(answer.status, answer.headers).end(answer.body)
}

/** Removes and returns the first hold that matches the call, and counts down the others. */
function take(
  awaited: Awaited[],
  at: HeldCall['side'],
  { path, body }: { path: string; body: Buffer },
): Awaited | undefined {
  const index = awaited.findIndex(({ method, text, side }) => {
    return side === at && path.endsWith(`/${method}`) && body.includes(text)
  })
  const found = awaited[index]
  if (!found) return undefined
  const { skipped = 0 } = found
  if (skipped > 0) {
    found.skipped = skipped - 1
    return undefined
  }
  awaited.splice(index, 1)
  return found
}

async function waitAt(held: Awaited | undefined): Promise<void> {
  if (!held) return
  held.isHeld = true
  if (!(await held.isKept)) throw new Error('the call is lost')
}

async function forward(
  target: string,
  of: { incoming: IncomingMessage; outgoing: ServerResponse; body: Buffer },
) {
  const { incoming, outgoing, body } = of
  const { method, headers, url } = incoming
  const onward = request(new URL(url ?? '', target), { method, headers, agent: false })
  outgoing.on('close', () => onward.destroy())
  onward.on('error', () => outgoing.destroy())
  const answered = once(onward, 'response')
  onward.end(body)
  const [answer]: IncomingMessage[] = await answered
  if (!answer) throw new Error('no answer')
  return { status: answer.statusCode ?? 502, headers: answer.headers, body: await buffer(answer) }
}
