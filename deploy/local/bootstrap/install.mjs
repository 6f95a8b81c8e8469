// @ts-check
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { node24, platform, root } from './paths.mjs'
import { run } from './run.mjs'
import { hashOf, isStamped, writeStamp } from './stamp.mjs'

const pnpm = 'pnpm@12.21.0'

/**
 * Installs the workspace's packages, Node 24 among them, as the lock file says; skipped when they
 * are there already. pnpm comes through npx, so npm is all the machine needs.
 *
 * @param {{ env: NodeJS.ProcessEnv, progress: import('./progress.mjs').Progress }} deps
 */
export async function installPackages({ env, progress }) {
  const stamp = join(root, 'node_modules/.coffer-install')
  const hash = hashOf({
    texts: [pnpm, platform],
    files: ['pnpm-lock.yaml', 'pnpm-workspace.yaml'].map((file) => join(root, file)),
  })
  if (isStamped(stamp, hash) && existsSync(node24)) {
    return
  }
  await progress.step('packages', `installing with ${pnpm}`, () =>
    run('npx', ['--yes', pnpm, 'install', '--frozen-lockfile'], {
      cwd: root,
      // Without a terminal pnpm may not ask whether it can replace an old node_modules.
      env: { ...env, CI: 'true' },
    }),
  )
  writeStamp(stamp, hash)
}
