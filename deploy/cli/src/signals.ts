/** Ctrl-C may arrive twice, from the terminal and from npm; both count as one signal. */
const sameSignalMs = 1_000

/** Resolves on the first SIGTERM, SIGINT or SIGHUP. A second signal exits the process with 1. */
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
