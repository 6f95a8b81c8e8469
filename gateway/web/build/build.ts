// node build/build.ts: builds the app into gateway/web/dist, with compressed copies of its files.
import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import { settings } from '../settings.ts'
import { compressFiles } from './compressed-copies.ts'

const target = join(import.meta.dirname, '../dist')
// Beside the target, so that the rename below stays in one file system.
const part = mkdtempSync(`${target}.part-`)
try {
  await build({ ...settings, build: { ...settings.build, outDir: part, emptyOutDir: true } })
  await compressFiles(part)
  rmSync(target, { recursive: true, force: true })
  renameSync(part, target)
} finally {
  rmSync(part, { recursive: true, force: true })
}
