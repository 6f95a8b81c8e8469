// @ts-check
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Returns the SHA-256 of texts, and of names and contents of files. Files may be missing.
 *
 * @param {{ texts?: string[], files: string[] }} input
 */
export function hashOf({ texts = [], files }) {
  const hash = createHash('sha256')
  for (const text of texts) {
    hash.update(`text ${text}\0`)
  }
  for (const file of files) {
    hash.update(`file ${file}\0`)
    hash.update(existsSync(file) ? readFileSync(file) : 'missing')
  }
  return hash.digest('hex')
}

/**
 * Returns whether the stamp file of a step has this hash of the step's input.
 *
 * @param {string} path
 * @param {string} hash
 */
export function isStamped(path, hash) {
  return existsSync(path) && readFileSync(path, 'utf8') === hash
}

/**
 * Writes the hash of a completed step's input to its stamp file.
 *
 * @param {string} path
 * @param {string} hash
 */
export function writeStamp(path, hash) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, hash)
}
