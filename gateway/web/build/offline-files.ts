import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import type { Plugin } from 'vite'

/**
 * Files that the service worker stores: scripts, styles and the font of Latin letters. Fonts of
 * other letters are left out, because browsers load them only for texts with such letters.
 */
const isOffline = /\.(?:js|css)$|-latin-wght/
/** Files of the page with Plaid Link, which are not stored, as it needs a network. */
const isConnect = /^assets\/connect-/

/** Plug-in that writes the service worker beside the page, with the names of the files it keeps. */
export function offlineFiles(folder: string): Plugin {
  return {
    name: 'coffer-offline-files',
    apply: 'build',
    generateBundle: {
      // Runs last, so that the list lacks the empty scripts of styles, which a plug-in removes.
      order: 'post',
      handler(_, bundle) {
        const entry = Object.values(bundle).find(
          (one) =>
            one.type === 'chunk' && one.isEntry && one.facadeModuleId?.endsWith('index.html'),
        )
        if (entry === undefined) throw new Error('The build has no page.')
        const kept = Object.keys(bundle).filter((name) => isOffline.test(name))
        const others = kept.filter((name) => name !== entry.fileName && !isConnect.test(name))
        const source = readFileSync(join(folder, 'build/service-worker.ts'), 'utf8')
        const names = JSON.stringify([entry.fileName, ...others.sort()])
        const code = stripTypeScriptTypes(source).replace("['__FILES__']", () => names)
        this.emitFile({ type: 'asset', fileName: 'worker.js', source: code })
      },
    },
  }
}
