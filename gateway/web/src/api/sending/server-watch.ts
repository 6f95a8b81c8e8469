import { basePath } from '../../base-path.ts'
import { isOfProxy, isServerReached, noteAnswer } from '../reachability.ts'

/** Time in ms after which a request without an answer makes the app ask for the server. */
const patienceMs = 3_000
/** Timeout of such a question in ms: its answer costs the server nothing. */
const answerMs = 3_000
/** Pauses in ms between questions while the server is away; the last one is repeated. */
const pausesMs = [1_000, 2_000, 4_000, 8_000]

let asked: Promise<void> | null = null
let timer: ReturnType<typeof setTimeout> | undefined

/** Asks for the settings of the server, and notes whether it answers in time. */
export async function askServer(): Promise<void> {
  asked ??= ask().finally(() => {
    asked = null
  })
  await asked
}

async function ask(): Promise<void> {
  const signal = AbortSignal.timeout(answerMs)
  try {
    noteAnswer(!isOfProxy(await fetch(`${basePath}api/config`, { signal, cache: 'no-store' })))
  } catch {
    noteAnswer(false)
  }
}

/** Awaits an answer. If it takes long, the server is asked whether it is there at all. */
export async function watched(answer: Promise<Response>): Promise<Response> {
  const late = setTimeout(() => void askServer(), patienceMs)
  try {
    return await answer
  } finally {
    clearTimeout(late)
  }
}

/** Asks in growing pauses while the server is away, and at once when the network comes back. */
export function watchServer(): void {
  addEventListener('coffer-away', () => askLater(0))
  for (const type of ['online', 'visibilitychange']) addEventListener(type, () => void askNow(0))
}

function askLater(times: number): void {
  clearTimeout(timer)
  timer = setTimeout(() => void askNow(times + 1), pausesMs[Math.min(times, pausesMs.length - 1)])
}

/** Asks while it may help: neither in a hidden tab, nor without any network. */
async function askNow(times: number): Promise<void> {
  if (isServerReached()) return
  if (navigator.onLine && document.visibilityState === 'visible') await askServer()
  if (!isServerReached()) askLater(times)
}
