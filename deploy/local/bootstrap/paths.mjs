// @ts-check
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository's root directory. */
export const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '')

/** Node 24, as the package manager installs it. */
export const node24 = join(root, 'node_modules/.bin/node')

/** The platform's name in cache directories, `linux-x64` for one. */
export const platform = `${process.platform}-${process.arch}`

/**
 * Where downloaded and built binaries are kept for every checkout on this machine
 * (XDG base directory specification).
 *
 * @param {NodeJS.ProcessEnv} env
 */
export function cacheDirectory(env) {
  const base = env.XDG_CACHE_HOME
  return join(base?.startsWith('/') ? base : join(homedir(), '.cache'), 'coffer')
}

/**
 * The environment with the workspace's own commands, Node 24 among them, found first.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function withWorkspaceCommands(env) {
  return { ...env, PATH: `${join(root, 'node_modules/.bin')}:${env.PATH ?? ''}` }
}
