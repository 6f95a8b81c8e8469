import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A text file of the repository. `path` is relative to the root, with forward slashes. */
export interface File {
  path: string
  text: string
}

const root = join(import.meta.dirname, '../..')
const notWritten = /(^|\/)data\/|\.(png|webp|ico|gz|zip)$/

/** Excludes the files that `.gitattributes` says a program has written. */
const writtenByPeople = ':(exclude,attr:linguist-generated)'

/** Returns the files that people write: without ignored and generated ones, data and images. */
export function writtenFiles(): File[] {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--']
  const options = { cwd: root, encoding: 'utf8' } as const
  const paths = execFileSync('git', [...list, writtenByPeople], options).split('\0')
  return paths
    .filter((path) => path !== '' && !notWritten.test(path) && existsSync(join(root, path)))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

/** Returns the directories of the packages that pnpm-workspace.yaml lists, and of the app. */
export function workspaceDirectories(): string[] {
  const list = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8').split(/\n\n/)[0] ?? ''
  const patterns = [...list.matchAll(/^ {2}- (.+)$/gm)].map(([, pattern = '']) => pattern)
  const found = patterns.flatMap((pattern) => globSync(`${pattern}/package.json`, { cwd: root }))
  return [...found.map((path) => dirname(path)), 'gateway/web'].sort()
}

/** Returns whether the file is TypeScript or JavaScript. */
export function isCode(file: File): boolean {
  return /\.(tsx?|mjs|cjs|js)$/.test(file.path)
}

/** Returns whether the file is a test, or a test helper that a package exports (`testing/`). */
export function isTest(path: string): boolean {
  return path.endsWith('.test.ts') || /(^|\/)test(ing)?\//.test(path)
}
