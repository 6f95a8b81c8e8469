import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

/**
 * Starts a Chromium or Chrome by the path of its program. The arguments that the package with
 * Chromium proposes switch off web security: tests of the CSP and of CORS would pass wrongly.
 */
export async function launchBrowser(executablePath: string): Promise<Browser> {
  const fonts = join(dirname(executablePath), 'fonts.conf')
  return await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--font-render-hinting=none'],
    env: existsSync(fonts) ? { ...process.env, FONTCONFIG_FILE: fonts } : process.env,
  })
}
