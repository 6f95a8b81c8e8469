import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '@coffer/local/bootstrap/paths.mjs'

interface Chunk {
  file: string
  imports?: string[]
  css?: string[]
}

const dist = join(root, 'gateway/web/dist')
const manifest: Record<string, Chunk> = JSON.parse(
  readFileSync(join(dist, 'manifest.json'), 'utf8'),
)

/** Returns the scripts of the entry of the app. */
export function entryFiles(): string[] {
  return withImports('index.html').map(({ file }) => file)
}

/** Returns the scripts of the entry and of home. */
export function homeFiles(): string[] {
  return [...entryFiles(), ...withImports('src/screens/home/home.tsx').map(({ file }) => file)]
}

/** Returns the texts of each language, of which the page loads one. */
export function catalogueFiles(): string[] {
  const found = Object.entries(manifest).filter(([name]) => /words\/languages\/\w+\.ts$/.test(name))
  return found.map(([, { file }]) => file)
}

/** Returns all styles of the app. */
export function styleFiles(): string[] {
  return Object.values(manifest).flatMap(({ css = [] }) => css)
}

/** Returns the size of files in Brotli, or as they are where they are too small for a copy. */
export function sizeOf(files: string[]): number {
  const sizes = [...new Set(files)].map((file) => {
    const compressed = statSync(join(dist, `${file}.br`), { throwIfNoEntry: false })
    return (compressed ?? statSync(join(dist, file))).size
  })
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Returns the chunk and all that it imports at once. */
function withImports(name: string): Chunk[] {
  const names = new Set([name])
  for (const one of names) for (const next of manifest[one]?.imports ?? []) names.add(next)
  return [...names].flatMap((one) => manifest[one] ?? [])
}
