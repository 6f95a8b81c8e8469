import { dirname, join, normalize } from 'node:path'
import type { File } from './files.ts'

/**
 * Returns the links in Markdown files whose file, directory or heading does not exist. Anchors of
 * headings are formed as on GitHub: lower case, no punctuation, hyphens for spaces.
 */
export function danglingLinks(files: readonly File[]): string[] {
  const texts = new Map(files.map(({ path, text }) => [path, text]))
  const directories = new Set(files.flatMap(({ path }) => parentsOf(path)))
  const pages = files.filter(({ path }) => path.endsWith('.md'))
  return pages.flatMap(({ path, text }) =>
    linksIn(text).flatMap((link) => {
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? path : normalize(join(dirname(path), file)).replace(/\/$/, '')
      if (!texts.has(target) && !directories.has(target)) return [`${path}: ${link}: no such file`]
      const isFound = anchor === undefined || anchorsOf(texts.get(target) ?? '').has(anchor)
      return isFound ? [] : [`${path}: ${link}: no such heading`]
    }),
  )
}

/**
 * Returns the source files that a page names in code spans and that are not there. A name is the
 * end of a path, such as `money/writer.service.ts`; the page may name the folder elsewhere. The
 * ending `.ts` may be left out.
 */
export function missingNames({ path, text }: File, files: readonly File[]): string[] {
  const spans = text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/`(\w[\w./-]*\.[a-z]{2,5})`/g)
  const named = [...spans].map(([, name = '']) => name)
  const wanted = named.filter((name) => /\.(ts|proto|sql)$/.test(name))
  const isThere = (name: string) => {
    const ends = [`/${name}`, `/${name}.ts`]
    return files.some((one) => ends.some((end) => `/${one.path}`.endsWith(end)))
  }
  return wanted.filter((name) => !isThere(name)).map((name) => `${path}: ${name} is not there`)
}

/** Returns the targets of a Markdown text's links into the repository, without links in code. */
function linksIn(text: string): string[] {
  const links = withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)
  // Pictures are no files that people write.
  const foreign = /^[a-z]+:|\.(png|webp)$/
  return [...links].map(([, link = '']) => link).filter((link) => !foreign.test(link))
}

function anchorsOf(text: string): Set<string> {
  const headings = text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.+)$/gm)
  const found = new Set<string>()
  for (const [, heading = ''] of headings) {
    const plain = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    const anchor = plain.trim().replaceAll(' ', '-')
    // GitHub appends a number to the anchor of a repeated heading.
    let count = 0
    while (found.has(count === 0 ? anchor : `${anchor}-${count}`)) count += 1
    found.add(count === 0 ? anchor : `${anchor}-${count}`)
  }
  return found
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '')
}

function parentsOf(path: string): string[] {
  const parent = dirname(path)
  return parent === '.' ? ['.'] : [parent, ...parentsOf(parent)]
}
