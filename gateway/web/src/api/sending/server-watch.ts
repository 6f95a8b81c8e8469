import { basePath } from '../../base-path.ts'
import { isOfProxy, isServerReached, noteAnswer } from '../reachability.ts'

/**
 * Time in ms without an answer to a request, after which the app checks whether the server answers.
 */
const checkAfterMs = 3_000
/** Timeout of that check in ms; the request is cheap for the server. */
const answerMs = 3_000
/** Backoff in ms between checks while the server is unreachable; the last value repeats. */
const pausesMs = [1_000, 2_000, 4_000, 8_000]

let asked: Promise<void> | null = null
let timer: ReturnType<typeof setTimeout> | undefined

/** Requests the config of the server, and notes whether it answers in time. */
export async function askServer(): Promise<void> {
  asked ??= ask().finally(() => {
    asked = null
  })
  await asked
}

async function ask(): Promise<void> {
  const signal = AbortSignal.timeout(answerMs)
  try {
    const response = await fetch(`${basePath}api/config`, { signal, cache: 'no-store' })
    noteAnswer(!isOfProxy(response))
    // An unread body would hold one of the few connections that a browser opens to a server.
    await response.arrayBuffer()
  } catch {
    noteAnswer(false)
  }
}

/** Awaits an answer. If it takes long, checks whether the server answers at all. */
export async function watched(answer: Promise<Response>): Promise<Response> {
  const late = setTimeout(() => void askServer(), checkAfterMs)
  try {
    return await answer
  } finally {
    clearTimeout(late)
  }
}

/** Checks with a backoff while the server is unreachable, and at once when the network is back. */
export function watchServer(): void {
  addEventListener('coffer-away', () => askLater(0))
  for (const type of ['online', 'visibilitychange']) addEventListener(type, () => void askNow(0))
}

function askLater(times: number): void {
  clearTimeout(timer)
  timer = setTimeout(() => void askNow(times + 1), pausesMs[Math.min(times, pausesMs.length - 1)])
}

/** Checks only if that can help: not in a hidden tab, and not without a network. */
async function askNow(times: number): Promise<void> {
  if (isServerReached()) return
  if (navigator.onLine && document.visibilityState === 'visible') await askServer()
  if (!isServerReached()) askLater(times)
}
