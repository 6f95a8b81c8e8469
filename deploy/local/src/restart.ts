import { type Death, lifeOf, type ServerProcess } from './server-process.ts'

/** A server of one kind, and how to see that it has to be started again. */
export type Restartable = {
  start: () => ServerProcess
  /** Whether the running one is of no use any more; asked at intervals, never twice at once. */
  isStuck: () => Promise<boolean>
  intervalMs: number
  onRestart: () => void
}

/**
 * Runs a server that is killed and started again whenever it is stuck. To its owner it is one
 * process: it has died when it ended by itself, and stopping it ends whichever is running.
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
