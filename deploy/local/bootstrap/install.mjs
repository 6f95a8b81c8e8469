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
export async function installPackages(deps) {
  await install({ name: 'packages', directory: root, options: [], isComplete: hasNode24 }, deps)
}

/**
 * Installs the packages of the tests in a browser, unless they are installed: a workspace of its
 * own, whose 80 MB no other command needs. Its Chromium is for Linux on x64 alone.
 *
 * @param {import('./progress.mjs').Deps} deps
 */
export async function installBrowserPackages(deps) {
  const directory = join(root, 'test/browser')
  const options = platform === 'linux-x64' ? [] : ['--no-optional']
  await install({ name: 'browser', directory, options, isComplete: () => true }, deps)
}

/**
 * Installs the packages of the app in the browser, unless they are installed: a workspace of its
 * own, of which servers only need the build.
 *
 * @param {import('./progress.mjs').Deps} deps
 */
export async function installWebPackages(deps) {
  const directory = join(root, 'gateway/web')
  await install({ name: 'web', directory, options: [], isComplete: () => true }, deps)
}

const hasNode24 = () => existsSync(node24)

/**
 * Installs the packages of one workspace, unless its lock file is unchanged since the last time.
 *
 * @param {{ name: string, directory: string, options: string[], isComplete: () => boolean }} target
 * @param {import('./progress.mjs').Deps} deps
 */
async function install({ name, directory, options, isComplete }, { env, progress }) {
  const stamp = join(directory, 'node_modules/.coffer-install')
  const hash = hashOf({
    texts: [pnpm, platform],
    files: ['pnpm-lock.yaml', 'pnpm-workspace.yaml'].map((file) => join(directory, file)),
  })
  if (isStamped(stamp, hash) && isComplete()) return
  await progress.step(name, `installing with ${pnpm}`, () =>
    run('npx', ['--yes', pnpm, 'install', '--frozen-lockfile', ...options], {
      cwd: directory,
      // CI mode: pnpm replaces an old node_modules without a prompt.
      env: { ...env, CI: 'true' },
    }),
  )
  writeStamp(stamp, hash)
}
