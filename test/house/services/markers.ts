import type { File } from '../files.ts'

/** A marker `until 0.4: …`: the first release without the marked code or table. */
const marker = /\buntil (\d+\.\d+): /g

/** Names of former versions in a comment. Tools of releases and stored rows are no branches. */
const former =
  /\b(?:version|release)s? before\b|\b(?:former|previous) (?:version|release)\b|\b0\.\d+\.0\b/

const commentLine = /^\s*(?:\/\/|\/\*|\*)/

/**
 * Returns the markers in a file whose release has come: the present version (`0.4.0`) is the marked
 * one, or a later one. Only one version back is supported (docs/running/upgrading.md).
 */
export function overdueMarkers({ path, text }: File, version: string): string[] {
  return text.split('\n').flatMap((line, index) =>
    [...line.matchAll(marker)].flatMap(([, until = '']) => {
      return isReached(until, version) ? [`${path}:${index + 1}: ${line.trim()}`] : []
    }),
  )
}

/** Returns comments of code that name a former version and have no marker. */
export function unmarkedBranches({ path, text }: File): string[] {
  return commentsOf(text).flatMap(({ line, comment }) => {
    const [named] = former.exec(comment) ?? []
    if (named === undefined || comment.search(marker) >= 0) return []
    return [`${path}:${line}: "${named}": say until which release, "until 0.4: …"`]
  })
}

function isReached(until: string, version: string): boolean {
  const [major = 0, minor = 0] = until.split('.').map(Number)
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number)
  return ownMajor > major || (ownMajor === major && ownMinor >= minor)
}

/** Returns the comments of whole lines, adjacent lines as one, with the number of the first. */
function commentsOf(text: string): { line: number; comment: string }[] {
  const comments: { line: number; lines: string[] }[] = []
  let isOpen = false
  for (const [index, line] of text.split('\n').entries()) {
    const isComment = commentLine.test(line)
    if (isComment && !isOpen) comments.push({ line: index + 1, lines: [] })
    if (isComment) comments.at(-1)?.lines.push(line.replace(/^[\s/*]+/, ''))
    isOpen = isComment
  }
  return comments.map(({ line, lines }) => ({ line, comment: lines.join(' ') }))
}
