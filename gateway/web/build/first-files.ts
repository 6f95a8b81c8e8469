import type { HtmlTagDescriptor, Plugin, Rolldown } from 'vite'

/**
 * Plug-in that adds scripts to the page: `early.ts`, which runs before all others, and preloads of
 * the files of the home screen. Most visits begin there, so a browser requests these files together
 * with those of the frame around all screens.
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
        return [
          tag('script', { type: 'module', async: true, src: `./${early.fileName}` }),
          ...files.filter(({ attrs }) => !html.includes(String(attrs?.href))),
        ]
      },
    },
  }
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
