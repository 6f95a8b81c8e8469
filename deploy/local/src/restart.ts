import { type Death, lifeOf, type ServerProcess } from './server-process.ts'

/** A server, and the check that decides whether to restart it. */
export type Restartable = {
  start: () => ServerProcess
  /** Returns whether the running server must be restarted. Calls do not overlap. */
  isStuck: () => Promise<boolean>
  intervalMs: number
  onRestart: () => void
}

/**
 * Runs a server, and kills and starts it again when it is stuck. The result behaves as one process:
 * it ends when a server ends without a restart, and `stop` ends the current server.
 */
export function runRestartable({
  start,
  isStuck,
  intervalMs,
  onRestart,
}: Restartable): ServerProcess {
  const died = Promise.withResolvers<Death>()
  const begin = (): ServerProcess => {
    const server = start()
    void server.died.then(died.resolve)
    return server
  }
  let current = begin()
  let isOver = false
  let looking = Promise.resolve()
  const look = async () => {
    if (isOver || !(await isStuck()) || isOver) return
    onRestart()
    await current.stop('SIGKILL')
    if (!isOver) current = begin()
  }
  const timer = setInterval(() => {
    looking = looking.then(look)
  }, intervalMs)
  return {
    get pid() {
      return current.pid
    },
    ...lifeOf(died.promise),
    stop: async (signal) => {
      isOver = true
      clearInterval(timer)
      await looking
      await current.stop(signal)
    },
  }
}
