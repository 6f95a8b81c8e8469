// @ts-check
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * One hash over texts and the names and contents of files; a missing file counts as such.
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
 * Whether the work that the stamp stands for was done from exactly this input.
 *
 * @param {string} path
 * @param {string} hash
 */
export function isStamped(path, hash) {
  return existsSync(path) && readFileSync(path, 'utf8') === hash
}

/**
 * Records that the work was done.
 *
 * @param {string} path
 * @param {string} hash
 */
export function writeStamp(path, hash) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, hash)
}
