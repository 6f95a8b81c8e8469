import { pathToFileURL } from 'node:url'
import { IntlMessageFormat } from 'intl-messageformat'
import type { Plugin } from 'vite'

const isCatalogue = /\/words\/languages\/[a-z-]+\/[a-z-]+\.ts$/

/**
 * Plug-in that parses the messages (ICU MessageFormat) of catalogues while the app is built: texts
 * with values become syntax trees, and the app has no parser.
 */
export function catalogues(): Plugin {
  return {
    name: 'coffer-catalogues',
    enforce: 'pre',
    config: () => ({
      resolve: {
        alias: [
          {
            find: /^@formatjs\/icu-messageformat-parser$/,
            replacement: '@formatjs/icu-messageformat-parser/no-parser.js',
          },
        ],
      },
    }),
    load: async (file) => {
      if (!isCatalogue.test(file)) return null
      // A query of its own makes Node.js read a changed file again.
      const parts: object = await import(`${pathToFileURL(file)}?${Date.now()}`)
      return Object.entries(parts)
        .map(([name, texts]) => `export const ${name} = ${JSON.stringify(parsed(texts))}`)
        .join('\n')
    },
  }
}

function parsed(texts: unknown): unknown {
  if (typeof texts === 'string') {
    if (!texts.includes('{')) return texts
    return new IntlMessageFormat(texts, 'en', undefined, { ignoreTag: true }).getAst()
  }
  if (Array.isArray(texts)) return texts.map(parsed)
  const entries = Object.entries(texts as Record<string, unknown>)
  return Object.fromEntries(entries.map(([key, text]) => [key, parsed(text)]))
}
