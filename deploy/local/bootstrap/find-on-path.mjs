// @ts-check
import { accessSync, constants, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Returns the paths of all executables of that name, in the order of PATH.
 *
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
 */
export function findOnPath(name, env) {
  return (env.PATH ?? '')
    .split(':')
    .filter((directory) => directory !== '')
    .map((directory) => join(directory, name))
    .filter(isExecutable)
}

/** @param {string} path */
export function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
