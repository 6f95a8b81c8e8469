import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { FatalError } from '../bootstrap/fatal-error.mjs'
import { findOnPath, isExecutable } from '../bootstrap/find-on-path.mjs'
import { cacheDirectory, node24, platform, root } from '../bootstrap/paths.mjs'
import type { Progress } from '../bootstrap/progress.mjs'
import { run } from '../bootstrap/run.mjs'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']

/** Folder whose `node_modules` contains the package `@sparticuz/chromium`. */
const browserTests = join(root, 'test/browser')

/** Script that unpacks the package's Chromium into TMPDIR. */
const unpacking = `const { default: chromium } = await import('@sparticuz/chromium')
  await chromium.executablePath()`

/**
 * Returns the path of the browser for the tests in `test/browser`: COFFER_TEST_BROWSER, else a
 * Chromium or Chrome on PATH, else that of the npm package `@sparticuz/chromium` (Linux on x64),
 * unpacked into the cache. Returns null without one, and prints that the browser tests are not run.
 *
 * @throws {FatalError} if COFFER_TEST_BROWSER is no program; without a browser if CI is true
 */
export async function findBrowser(
  { env, log }: { env: NodeJS.ProcessEnv; log: Progress },
  workspace = browserTests,
): Promise<string | null> {
  const named = env.COFFER_TEST_BROWSER
  if (named) {
    if (isExecutable(named)) return named
    throw new FatalError(`COFFER_TEST_BROWSER is no program: ${named}`)
  }
  const onPath = names.flatMap((name) => findOnPath(name, env))[0]
  const found = onPath ?? (await unpackedBrowser({ env, log }, workspace))
  if (found !== null) return found
  const text = 'no Chromium or Chrome on PATH: set COFFER_TEST_BROWSER to the path of one'
  if (env.CI === 'true') throw new FatalError(`The tests in a browser cannot run: ${text}.`)
  log.say('browser', `tests in a browser are not run: ${text}`)
  return null
}

/** Returns the path of the package's Chromium; null if the package is not installed. */
async function unpackedBrowser(
  { env, log }: { env: NodeJS.ProcessEnv; log: Progress },
  workspace: string,
): Promise<string | null> {
  const manifest = join(workspace, 'node_modules/@sparticuz/chromium/package.json')
  if (platform !== 'linux-x64' || !existsSync(manifest)) return null
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
  const target = join(cacheDirectory(env), `chromium-${version}-${platform}`)
  const executable = join(target, 'chromium')
  if (isExecutable(executable)) return executable
  mkdirSync(dirname(target), { recursive: true })
  const part = mkdtempSync(`${target}.part-`)
  try {
    await log.step('browser', `unpacking Chromium ${version}`, () =>
      run(node24, ['--input-type=module', '--eval', unpacking], {
        cwd: workspace,
        env: { ...env, TMPDIR: part },
      }),
    )
    await writeFile(join(part, 'fonts.conf'), fontsOf(target))
    publish(part, target, executable)
  } finally {
    rmSync(part, { recursive: true, force: true })
  }
  return executable
}

/**
 * Atomic rename: processes never find a partial browser. A failure is ignored if another process
 * has published the browser first.
 */
function publish(part: string, target: string, executable: string): void {
  try {
    renameSync(part, target)
  } catch (error) {
    if (!isExecutable(executable)) throw error
  }
}

/** Returns the configuration of fontconfig, with the fonts of the package and of the system. */
function fontsOf(directory: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${directory}/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${directory}/font-cache</cachedir>
</fontconfig>
`
}
