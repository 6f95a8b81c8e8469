import { fileURLToPath } from 'node:url'
import locales from '@react-aria/optimize-locales-plugin'
import react from '@vitejs/plugin-react'
import type { InlineConfig } from 'vite'
import { catalogues } from './build/catalogues.ts'
import { firstFiles } from './build/first-files.ts'
import { helpPages } from './build/help-pages.ts'
import { licences } from './build/licences.ts'
import { offlineFiles } from './build/offline-files.ts'

const root = fileURLToPath(new URL('.', import.meta.url))

/**
 * Packages of the first page, bundled as one chunk. Otherwise they would become many chunks, 6 kB
 * larger, because modules await the catalogue of texts. The pattern matches the last `node_modules`
 * of a path, because pnpm's paths also name peer dependencies.
 */
const names = [
  'react',
  'react-dom',
  'scheduler',
  '@tanstack/(?!react-virtual|virtual-core)[^/]+',
  'intl-messageformat',
  '@formatjs/[^/]+',
]
const frameworks = new RegExp(`node_modules/(${names.join('|')})/(?!.*node_modules)`)

/**
 * The first page is in few files, since a browser has six connections to a server over HTTP/1.1.
 * Each group is one file with all imports of its modules that no group of higher priority contains.
 */
const groups = [
  { name: 'early', test: /src\/early\.ts$|vite\/preload-helper/, priority: 3 },
  { name: 'frameworks', test: frameworks, priority: 2 },
  { name: 'frame', test: /src\/routes\.tsx$/, priority: 1 },
  { name: 'home', test: /src\/screens\/home\/home\.tsx$/, priority: 0 },
]

/**
 * Settings of Vite for the build and the development server. URLs are relative, because a proxy may
 * serve Coffer below a path. Nothing is inlined: the CSP allows neither `data:` scripts nor styles.
 */
export const settings: InlineConfig = {
  root,
  base: './',
  configFile: false,
  logLevel: 'warn',
  plugins: [
    react({ compiler: true }),
    licences(root),
    catalogues(),
    helpPages(),
    firstFiles(root),
    offlineFiles(root),
    // Leaves out React Aria's texts in other languages; en-US is its fallback.
    { ...locales.vite({ locales: ['en-US', 'de-DE'] }), enforce: 'pre' },
  ],
  optimizeDeps: { entries: ['./src/main.tsx', './src/connect.tsx'] },
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: ['index.html', 'connect.html', 'src/early.ts'].map((name) => `${root}${name}`),
      output: { codeSplitting: { groups } },
    },
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1_000,
    manifest: 'manifest.json',
  },
}
