// @ts-check
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { node24, nodeEnvironment, nodeOptions, withWorkspaceCommands } from './paths.mjs'

const watchMs = 500
const caller = process.ppid

/**
 * Runs a script under Node 24 to its end, and forwards signals to the script. An IPC channel lets
 * the script notice that this process was killed. The path `script` is relative to this file.
 *
 * @param {{ script: string, args: string[], env: NodeJS.ProcessEnv }} command
 * @returns {Promise<number>} its exit code
 */
export function continueUnderNode24({ script, args, env }) {
  return new Promise((resolve, reject) => {
    const path = fileURLToPath(new URL(script, import.meta.url))
    const child = spawn(node24, [...nodeOptions, path, ...args], {
      env: withWorkspaceCommands({ ...nodeEnvironment, ...env }),
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
 * Returns whether npm has ended: a killed npm does not end its script.
 *
 * @param {NodeJS.ProcessEnv} env
 */
function callerIsGone(env) {
  return env.npm_lifecycle_event !== undefined && process.ppid !== caller
}
