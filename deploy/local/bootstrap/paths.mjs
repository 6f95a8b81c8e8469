// @ts-check
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository's root directory. */
export const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '')

/** Path of the Node 24 that pnpm installs. */
export const node24 = join(root, 'node_modules/.bin/node')

/**
 * Options of Node for Coffer. V8 sizes its heap by the machine's memory: on 16 GB and more, the
 * young generation alone grows to 100 MB, and the old one keeps garbage until it has doubled.
 * Semi-spaces of 32 MB cost a forecast a third less processor time than 16, and no idle memory
 * (docs/benchmarks/lists.md#semi-spaces). V8 has one thread beside the event loop, not four, for
 * compiling and garbage collection. While a large file is read, four of them would keep the
 * processors busy, and the event loop would wait (docs/benchmarks/lists.md#threads-of-v8).
 */
export const nodeOptions = [
  '--disable-warning=ExperimentalWarning',
  '--max-semi-space-size=32',
  '--heap-growing-percent=50',
  '--v8-pool-size=1',
]

/**
 * Environment of Coffer. With the compile cache named here, Node loads its TypeScript compiler
 * (17 MB) only for changed files. Glibc gives threads up to eight heaps a processor, of which each
 * keeps its freed memory; two are enough, because V8 has heaps of its own.
 */
export const nodeEnvironment = {
  NODE_COMPILE_CACHE: join(root, 'deploy/cli/node_modules/.cache/compiled'),
  MALLOC_ARENA_MAX: '2',
}

/** Name of the platform in cache directories, such as `linux-x64`. */
export const platform = `${process.platform}-${process.arch}`

/**
 * Returns the directory of downloaded and built binaries, shared by all checkouts on this machine
 * (XDG Base Directory Specification).
 *
 * @param {NodeJS.ProcessEnv} env
 */
export function cacheDirectory(env) {
  const base = env.XDG_CACHE_HOME
  return join(base?.startsWith('/') ? base : join(homedir(), '.cache'), 'coffer')
}

/**
 * Returns the environment with the commands of the workspace, Node 24 included, first on PATH.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function withWorkspaceCommands(env) {
  return { ...env, PATH: `${join(root, 'node_modules/.bin')}:${env.PATH ?? ''}` }
}
