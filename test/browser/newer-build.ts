import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '@coffer/local/bootstrap/paths.mjs'
import { afterAll } from '@jest/globals'

/**
 * Copies the build of the app into a new folder, with a later time and another name of its script,
 * and removes it after the tests of the file. Returns the folder.
 */
export function useNewerBuild(): string {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-newer-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  cpSync(join(root, 'gateway/web/dist'), folder, { recursive: true })
  const assets = join(folder, 'assets')
  const former = readdirSync(assets).find((name) => /^index-.*\.js$/.test(name)) ?? ''
  cpSync(join(assets, former), join(assets, 'index-newer.js'))
  rmSync(join(assets, former))
  for (const name of ['index.html', 'worker.js']) {
    const text = readFileSync(join(folder, name), 'utf8').replaceAll(former, 'index-newer.js')
    const dated = text.replace(/data-build="[^"]+"/, 'data-build="9999999999.newer"')
    writeFileSync(join(folder, name), dated)
  }
  return folder
}
