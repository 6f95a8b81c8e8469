// @ts-check
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { node24, withWorkspaceCommands } from './paths.mjs'

const watchMs = 500
const caller = process.ppid

/**
 * Runs a script, named from this directory, under Node 24 until it ends. Signals are passed on,
 * and the script, which holds the other end of an IPC channel, notices when this process is killed.
 *
 * @param {{ script: string, args: string[], env: NodeJS.ProcessEnv }} command
 * @returns {Promise<number>} its exit code
 */
export function continueUnderNode24({ script, args, env }) {
  return new Promise((resolve, reject) => {
    const path = fileURLToPath(new URL(script, import.meta.url))
    const child = spawn(node24, ['--disable-warning=ExperimentalWarning', path, ...args], {
      env: withWorkspaceCommands(env),
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    })
    for (const signal of /** @type {NodeJS.Signals[]} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
      process.on(signal, () => child.kill(signal))
    }
    const watch = setInterval(() => {
      if (callerIsGone(env)) {
        clearInterval(watch)
        child.kill('SIGTERM')
      }
    }, watchMs)
    child.on('error', reject)
    child.on('exit', (code) => {
      clearInterval(watch)
      resolve(code ?? 1)
    })
  })
}

/**
 * npm does not take its script along when it is killed.
 *
 * @param {NodeJS.ProcessEnv} env
 */
function callerIsGone(env) {
  return env.npm_lifecycle_event !== undefined && process.ppid !== caller
}
