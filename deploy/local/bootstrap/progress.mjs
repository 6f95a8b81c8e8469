// @ts-check

const reminderMs = 15_000

/**
 * @typedef {object} Progress
 * @property {(name: string, text: string) => void} say prints one line
 * @property {<T>(name: string, text: string, work: () => Promise<T>) => Promise<T>} step prints a
 *   line before the work, a line every 15 s during the work, and its duration at the end
 * @typedef {{ env: NodeJS.ProcessEnv, progress: Progress }} Deps
 */

/**
 * Creates a printer of progress lines.
 *
 * @param {(line: string) => void} [write]
 * @returns {Progress}
 */
export function createProgress(write = (line) => process.stdout.write(`${line}\n`)) {
  /** @type {Progress['say']} */
  const say = (name, text) => write(`${name.padEnd(10)} ${text}`)
  /** @type {Progress['step']} */
  const step = async (name, text, work) => {
    const begin = performance.now()
    say(name, text)
    const reminder = setInterval(
      () => say(name, `still running (${seconds(performance.now() - begin)})`),
      reminderMs,
    )
    try {
      const result = await work()
      say(name, `done in ${seconds(performance.now() - begin)}`)
      return result
    } finally {
      clearInterval(reminder)
    }
  }
  return { say, step }
}

/** @param {number} durationMs */
function seconds(durationMs) {
  return `${(durationMs / 1000).toFixed(1)} s`
}
