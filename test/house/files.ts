import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A text file of the repository; `path` is relative to its root, with forward slashes. */
export interface File {
  path: string
  text: string
}

const root = join(import.meta.dirname, '../..')
const notWritten = /(^|\/)(gen|data)\/|pnpm-lock\.yaml$|go\.sum$|\.(png|ico|gz|zip)$/

/** Every file people write here: tracked, or new and not ignored. Data and lock files are not. */
export function writtenFiles(): File[] {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const paths = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).split('\0')
  return paths
    .filter((path) => path !== '' && !notWritten.test(path) && existsSync(join(root, path)))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

/** TypeScript and the few plain scripts that run before it can. */
export function isCode(file: File): boolean {
  return /\.(ts|mjs|cjs|js)$/.test(file.path)
}

/** Tests, and what packages offer to them (`testing/`). */
export function isTest(path: string): boolean {
  return path.endsWith('.test.ts') || /(^|\/)test(ing)?\//.test(path)
}
