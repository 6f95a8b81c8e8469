import { createHash, X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

/** Name of a home server without TLS. Browsers trust 127.0.0.1 more than other names. */
export const homeName = 'coffer.home'
const homeServer = `MAP ${homeName} 127.0.0.1`

/** Returns the address of a server of this machine as that of a home server. */
export function atHome(baseUrl: string): string {
  return baseUrl.replace('127.0.0.1', homeName)
}

/**
 * Starts a Chromium or Chrome by the path of its program. The arguments that the package with
 * Chromium proposes switch off web security: tests of the CSP and of CORS would pass wrongly. The
 * certificate in the file `trusted` (PEM) is one that the browser accepts.
 */
export async function launchBrowser(executablePath: string, trusted?: string): Promise<Browser> {
  const fonts = join(dirname(executablePath), 'fonts.conf')
  return await chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--font-render-hinting=none',
      `--host-resolver-rules=${homeServer}`,
      ...(trusted ? [`--ignore-certificate-errors-spki-list=${keyHashOf(trusted)}`] : []),
    ],
    env: existsSync(fonts) ? { ...process.env, FONTCONFIG_FILE: fonts } : process.env,
  })
}

/** Returns the SHA-256 hash of the public key of a certificate, as Chromium names it. */
function keyHashOf(file: string): string {
  const { publicKey } = new X509Certificate(readFileSync(file))
  const key = publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(key).digest('base64')
}
