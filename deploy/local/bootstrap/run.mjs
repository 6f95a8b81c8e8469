// @ts-check
import { spawn } from 'node:child_process'
import { FatalError } from './fatal-error.mjs'

const tailLines = 25

/**
 * Runs a command to its end and captures its output. Kills the command when this process exits.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env: NodeJS.ProcessEnv, uid?: number, gid?: number }} options
 * @returns {Promise<string>} its output
 * @throws {FatalError} with the last lines of its output when it fails or cannot be started
 */
export function run(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    const kill = () => child.kill()
    process.once('exit', kill)
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    child.stderr.on('data', (chunk) => {
      output += chunk
    })
    child.on('error', (error) => reject(new FatalError(`${command}: ${error.message}`)))
    child.on('close', (code, signal) => {
      process.off('exit', kill)
      if (code === 0) {
        resolve(output)
      } else {
        const tail = output.trimEnd().split('\n').slice(-tailLines).join('\n')
        const how = signal === null ? `exit code ${code}` : signal
        reject(new FatalError(`${tail}\n"${[command, ...args].join(' ')}" failed (${how})`))
      }
    })
  })
}
