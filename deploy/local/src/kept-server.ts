import { setTimeout as sleep } from 'node:timers/promises'
import { FatalError } from '../bootstrap/fatal-error.mjs'
import type { Progress } from '../bootstrap/progress.mjs'
import { aborted } from './script.ts'
import { type Death, lifeOf, type Server, type ServerProcess } from './server-process.ts'

/** Maximum number of restarts within `windowMs`. */
const restartsMax = 5
const windowMs = 60_000
/** Pause in ms before the first restart within `windowMs`, doubled for each further restart. */
const pauseMsDefault = 200

/**
 * Supervises a server: restarts it when it ends by itself, with growing pauses, at most five times
 * a minute. The result acts as one process, whose `died` resolves when the server ends after that.
 * A server that a setting names is not supervised.
 */
export async function keepServer<Kind extends Server>(
  start: () => Promise<Kind>,
  { log, pauseMs = pauseMsDefault }: { log: Progress; pauseMs?: number },
): Promise<Kind> {
  const first = await start()
  if (first.process === null) return first
  const died = Promise.withResolvers<Death>()
  const stopping = new AbortController()
  const { signal } = stopping
  let current: ServerProcess = first.process
  let restarts: number[] = []
  /** Returns a new process; null when stopped. Throws the last error after too many restarts. */
  const startAgain = async (error: FatalError): Promise<ServerProcess | null> => {
    const now = performance.now()
    restarts = restarts.filter((at) => now - at < windowMs)
    if (restarts.length === restartsMax) {
      const often = `It was started again ${restartsMax} times within a minute.`
      throw new FatalError(`${error.message} ${often}`)
    }
    restarts.push(now)
    log.say('servers', `${error.message} Starting it again.`)
    await sleep(pauseMs * 2 ** (restarts.length - 1), undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return null
    try {
      return (await start()).process
    } catch (next) {
      if (!(next instanceof FatalError)) throw next
      return startAgain(next)
    }
  }
  const watch = async (): Promise<void> => {
    while (!signal.aborted) {
      const death = await Promise.race([current.died, aborted(signal)])
      if (!death) return
      // The process has ended by itself; `stop` ends the checks of `runRestartable`.
      await current.stop()
      const next = await startAgain(death.error).catch((error) => {
        died.resolve({ code: death.code, error })
        return null
      })
      if (next === null) return
      current = next
    }
  }
  const watching = watch()
  const process: ServerProcess = {
    get pid() {
      return current.pid
    },
    ...lifeOf(died.promise),
    stop: async (given) => {
      stopping.abort()
      await watching
      await current.stop(given)
    },
  }
  return { ...first, process }
}
