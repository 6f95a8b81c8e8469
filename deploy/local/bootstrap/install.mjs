// @ts-check
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { node24, platform, root } from './paths.mjs'
import { run } from './run.mjs'
import { hashOf, isStamped, writeStamp } from './stamp.mjs'

const pnpm = 'pnpm@12.21.0'

/**
 * Installs the packages of the lock file, Node 24 included, unless they are installed. npx
 * downloads pnpm, so the machine needs only npm.
 *
 * @param {import('./progress.mjs').Deps} deps
 */
export async function installPackages({ env, progress }) {
  const stamp = join(root, 'node_modules/.coffer-install')
  const hash = hashOf({
    texts: [pnpm, platform],
    files: ['pnpm-lock.yaml', 'pnpm-workspace.yaml'].map((file) => join(root, file)),
  })
  if (isStamped(stamp, hash) && existsSync(node24)) return
  await progress.step('packages', `installing with ${pnpm}`, () =>
    run('npx', ['--yes', pnpm, 'install', '--frozen-lockfile'], {
      cwd: root,
      // CI mode: pnpm replaces an old node_modules without a prompt.
      env: { ...env, CI: 'true' },
    }),
  )
  writeStamp(stamp, hash)
}
