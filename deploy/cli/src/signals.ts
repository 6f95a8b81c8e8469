/** Ctrl-C in a terminal may reach us twice: from the terminal, and passed on by npm. */
const sameSignalMs = 1_000

/** Resolves on the first SIGTERM, SIGINT or SIGHUP; one that comes later ends the process. */
export function untilStopped(): Promise<void> {
  let firstAt: number | null = null
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.on(signal, () => {
        firstAt ??= performance.now()
        if (performance.now() - firstAt > sameSignalMs) {
          process.exit(1)
        }
        resolve()
      })
    }
  })
}
