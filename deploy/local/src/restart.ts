import { type Death, lifeOf, type ServerProcess } from './server-process.ts'

/** Options of a server that is restarted when a check finds it stuck. */
export type Restartable = {
  start: () => ServerProcess
  /** Health check, called every `intervalMs`: true restarts the server. Calls do not overlap. */
  isStuck: () => Promise<boolean>
  intervalMs: number
  onRestart: () => void
}

/**
 * Runs a server; when it is stuck, kills the process and starts another. The result behaves as one
 * process: `died` resolves when a process ends by itself, and `stop` ends the current process.
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
