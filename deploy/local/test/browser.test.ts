import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { platform, root } from '../bootstrap/paths.mjs'
import { findBrowser } from '../src/browser.ts'
import { quietProgress, scratchDirectory, writeScript } from './scratch.ts'

function machine(directory: string) {
  const bin = join(directory, 'bin')
  mkdirSync(bin)
  const env = { PATH: bin, XDG_CACHE_HOME: join(directory, 'cache'), TMPDIR: directory }
  return { bin, env, log: quietProgress() }
}

describe('the browser of the tests', () => {
  test('is the one that COFFER_TEST_BROWSER names, and nothing in its place', async () => {
    using scratch = scratchDirectory()
    const { bin, env, log } = machine(scratch.path)
    const named = writeScript(join(scratch.path, 'named'), 'true')
    writeScript(join(bin, 'chromium'), 'true')
    expect(await findBrowser({ env: { ...env, COFFER_TEST_BROWSER: named }, log })).toBe(named)
    const missing = { ...env, COFFER_TEST_BROWSER: join(scratch.path, 'missing') }
    await expect(findBrowser({ env: missing, log })).rejects.toThrow('COFFER_TEST_BROWSER')
  })

  test('is a Chromium or Chrome on PATH', async () => {
    using scratch = scratchDirectory()
    const { bin, env, log } = machine(scratch.path)
    const chrome = writeScript(join(bin, 'google-chrome'), 'true')
    expect(await findBrowser({ env, log })).toBe(chrome)
    expect(log.lines).toEqual([])
  })

  test('is unpacked once by two processes, with its fonts', async () => {
    using scratch = scratchDirectory()
    const { env, log } = machine(scratch.path)
    const workspace = scratch.path
    fakePackage(workspace)
    const found = await Promise.all([1, 2].map(() => findBrowser({ env, log }, workspace)))
    if (platform === 'linux-x64') {
      const folder = join(env.XDG_CACHE_HOME, 'coffer')
      const target = join(folder, `chromium-1.2.3-${platform}`)
      expect(found).toEqual([join(target, 'chromium'), join(target, 'chromium')])
      expect(readdirSync(folder)).toHaveLength(1)
      expect(readFileSync(join(target, 'fonts.conf'), 'utf8')).toContain(`<dir>${target}/fonts<`)
    } else {
      expect(found).toEqual([null, null])
    }
  })

  test('may be missing, which one line says, except in CI', async () => {
    using scratch = scratchDirectory()
    const { env, log } = machine(scratch.path)
    expect(await findBrowser({ env, log }, scratch.path)).toBeNull()
    expect(log.lines).toEqual([expect.stringContaining('tests in a browser are not run')])
    const ci = { ...env, CI: 'true' }
    await expect(findBrowser({ env: ci, log }, scratch.path)).rejects.toThrow('cannot run')
  })
})

test('npm start installs no browser: the lock file of the root has none', () => {
  const [own = '', ofTests = ''] = ['', 'test/browser'].map((folder) =>
    readFileSync(join(root, folder, 'pnpm-lock.yaml'), 'utf8'),
  )
  for (const name of ['playwright-core@', '@sparticuz/chromium@', '@axe-core/playwright@']) {
    expect(own).not.toContain(name)
    expect(ofTests).toContain(name)
  }
})

/** Writes a package that unpacks a program into TMPDIR, as `@sparticuz/chromium` does. */
function fakePackage(workspace: string): void {
  const folder = join(workspace, 'node_modules/@sparticuz/chromium')
  mkdirSync(folder, { recursive: true })
  const manifest = { version: '1.2.3', type: 'module', exports: './index.js' }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  const unpack = `import { writeFileSync } from 'node:fs'
    const program = process.env.TMPDIR + '/chromium'
    const executablePath = () => writeFileSync(program, '', { mode: 0o755 })
    export default { executablePath }`
  writeFileSync(join(folder, 'index.js'), unpack)
}
