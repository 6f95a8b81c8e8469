import type { HtmlTagDescriptor, Plugin, Rolldown } from 'vite'

/**
 * Plug-in that writes the ID of the build into the page, and adds scripts: `early.ts`, which runs
 * before all others, and preloads of the files of the home screen. Most visits begin there, so a
 * browser requests these files together with those of the frame around all screens.
 */
export function firstFiles(root: string): Plugin {
  return {
    name: 'coffer-first-files',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html, { filename, bundle = {} }) => {
        if (!filename.endsWith('index.html')) return
        const chunks = Object.values(bundle).filter((one) => one.type === 'chunk')
        const early = chunks.find(({ moduleIds }) => moduleIds.includes(`${root}src/early.ts`))
        const home = chunks.find(
          ({ facadeModuleId }) => facadeModuleId === `${root}src/screens/home/home.tsx`,
        )
        if (early === undefined || home === undefined) throw new Error('A first file is missing.')
        const names = [home.fileName, ...home.imports]
        const files = chunks.filter(({ fileName }) => names.includes(fileName)).flatMap(filesOf)
        const tags = [
          tag('script', { type: 'module', async: true, src: `./${early.fileName}` }),
          ...files.filter(({ attrs }) => !html.includes(String(attrs?.href))),
        ]
        return { html: html.replace('data-build=""', `data-build="${buildOf(html)}"`), tags }
      },
    },
  }
}

/**
 * Returns the ID of a build: its time in seconds since 1970, a dot, and the hash of the page's
 * script. The hash covers all files; by the time a server knows which of two builds is older.
 */
function buildOf(html: string): string {
  const [, hash] = /index-([\w-]+)\.js"/.exec(html) ?? []
  if (hash === undefined) throw new Error('The page has no script.')
  return `${Math.floor(Date.now() / 1_000)}.${hash}`
}

/** Returns the links to a script and its styles. */
function filesOf({ fileName, viteMetadata }: Rolldown.OutputChunk): HtmlTagDescriptor[] {
  const styles = [...(viteMetadata?.importedCss ?? [])]
  return [
    tag('link', { rel: 'modulepreload', href: `./${fileName}` }),
    ...styles.map((name) => tag('link', { rel: 'stylesheet', href: `./${name}` })),
  ]
}

function tag(name: string, attrs: Record<string, string | true>): HtmlTagDescriptor {
  const injectTo = name === 'script' ? 'head-prepend' : 'head'
  return { tag: name, attrs: { ...attrs, crossorigin: true }, injectTo }
}
