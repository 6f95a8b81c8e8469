import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

/** Name of a home server without TLS. Browsers trust 127.0.0.1 more than other names. */
const homeName = 'coffer.home'
const homeServer = `MAP ${homeName} 127.0.0.1`

/** Returns the address of a server of this machine as that of a home server. */
export function atHome(baseUrl: string): string {
  return baseUrl.replace('127.0.0.1', homeName)
}

/**
 * Starts a Chromium or Chrome by the path of its program. The arguments that the package with
 * Chromium proposes switch off web security: tests of the CSP and of CORS would pass wrongly.
 */
export async function launchBrowser(executablePath: string): Promise<Browser> {
  const fonts = join(dirname(executablePath), 'fonts.conf')
  return await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--font-render-hinting=none', `--host-resolver-rules=${homeServer}`],
    env: existsSync(fonts) ? { ...process.env, FONTCONFIG_FILE: fonts } : process.env,
  })
}
