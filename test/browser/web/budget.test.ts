import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '@coffer/local/bootstrap/paths.mjs'
import { expect, test } from '@jest/globals'

interface Chunk {
  file: string
  imports?: string[]
  css?: string[]
}

const dist = join(root, 'gateway/web/dist')
const manifest: Record<string, Chunk> = JSON.parse(
  readFileSync(join(dist, 'manifest.json'), 'utf8'),
)

/** Returns the chunk and all that it imports at once. */
function withImports(name: string): Chunk[] {
  const names = new Set([name])
  for (const one of names) for (const next of manifest[one]?.imports ?? []) names.add(next)
  return [...names].flatMap((one) => manifest[one] ?? [])
}

/** Returns the size of files in Brotli, or as they are where they are too small for a copy. */
function sizeOf(files: string[]): number {
  const sizes = [...new Set(files)].map((file) => {
    const compressed = statSync(join(dist, `${file}.br`), { throwIfNoEntry: false })
    return (compressed ?? statSync(join(dist, file))).size
  })
  return sizes.reduce((sum, size) => sum + size, 0)
}

test('the entry has at most 140 kB of scripts, with home 170 kB, and all styles 40 kB', () => {
  const entry = withImports('index.html')
  const home = [...entry, ...withImports('src/screens/home/home.tsx')]
  expect(sizeOf(entry.map(({ file }) => file))).toBeLessThan(140_000)
  expect(sizeOf(home.map(({ file }) => file))).toBeLessThan(170_000)
  expect(sizeOf(Object.values(manifest).flatMap(({ css = [] }) => css))).toBeLessThan(40_000)
})
