import { dirname } from 'node:path'
import type { File } from './files.ts'
import { type Module, resolve } from './modules.ts'

const filesMax = 25

/** Returns folders with more than `filesMax` files. Folders of test data are exempt. */
export function crowdedFolders(files: Pick<File, 'path'>[]): string[] {
  // Migrations only grow: an applied file is never edited, nor removed.
  const rooms = files.filter(({ path }) => !/^test\/data\/|\/migrations\//.test(path))
  const folders = Map.groupBy(rooms, ({ path }) => dirname(path))
  return [...folders].flatMap(([folder, inside]) =>
    inside.length > filesMax ? [`${folder}: ${inside.length} files`] : [],
  )
}

/**
 * Returns circular imports, type imports included, each as a list of its files (strongly connected
 * components by Tarjan's algorithm).
 */
export function importCircles(modules: Module[]): string[][] {
  const known = new Map(modules.map((module) => [module.path, module]))
  const entered = new Map<string, { index: number; low: number }>()
  const open: string[] = []
  const circles: string[][] = []
  const visit = (path: string): { index: number; low: number } => {
    const node = { index: entered.size, low: entered.size }
    entered.set(path, node)
    open.push(path)
    for (const { specifier } of known.get(path)?.imports ?? []) {
      const target = resolve(path, specifier)
      if (target === null || !known.has(target)) continue
      const before = entered.get(target)
      if (!before) node.low = Math.min(node.low, visit(target).low)
      else if (open.includes(target)) node.low = Math.min(node.low, before.index)
    }
    if (node.low === node.index) {
      const circle = open.splice(open.indexOf(path))
      if (circle.length > 1) circles.push(circle.sort())
    }
    return node
  }
  for (const { path } of modules) if (!entered.has(path)) visit(path)
  return circles
}

/** An import of one room by another, with the files of one such import. */
export interface Arrow {
  from: string
  to: string
  example: string
}

/**
 * Returns the imports between rooms of a package, one arrow for each pair. A room is a folder of
 * `src/`, or a file directly in it. Tests are exempt.
 */
export function roomArrows(modules: Module[], directory: string): Arrow[] {
  const arrows = new Map<string, Arrow>()
  for (const { path, imports } of modules) {
    const from = roomOf(path, directory)
    if (from === null || path.endsWith('.test.ts')) continue
    for (const { specifier } of imports) {
      const target = resolve(path, specifier)
      const to = target === null ? null : roomOf(target, directory)
      if (target === null || to === null || to === from) continue
      const key = `${from} ${to}`
      if (!arrows.has(key)) arrows.set(key, { from, to, example: `${path} imports ${target}` })
    }
  }
  return [...arrows.values()]
}

/** Returns the arrows that are part of a circle of rooms. */
export function arrowsInCircles(arrows: Arrow[]): Arrow[] {
  return arrows.filter(({ from, to }) => reach(arrows, to).has(from))
}

/**
 * Returns differences between the imports of rooms and the picture of the package's README (its
 * first Mermaid flowchart): solid arrows between rooms that are no import, and imports for which
 * the picture has no path of solid arrows. IDs in the picture are the names of rooms.
 */
export function pictureFaults(readme: File, arrows: Arrow[]): string[] {
  const rooms = new Set(arrows.flatMap(({ from, to }) => [from, to]))
  const drawn = drawnArrows(readme.text).filter(({ from, to }) => rooms.has(from) && rooms.has(to))
  const imported = new Set(arrows.map(({ from, to }) => `${from} ${to}`))
  const idle = drawn.filter(({ from, to }) => !imported.has(`${from} ${to}`))
  const missing = arrows.filter(({ from, to }) => {
    return isFolder(from) && isFolder(to) && !reach(drawn, from).has(to)
  })
  return [
    ...idle.map(({ from, to }) => `${readme.path}: ${from} does not import ${to}`),
    ...missing.map(({ from, to, example }) => `${readme.path}: no ${from} --> ${to} (${example})`),
  ]
}

function isFolder(room: string): boolean {
  return !room.includes('.')
}

function roomOf(path: string, directory: string): string | null {
  const inside = `${directory}/src/`
  return path.startsWith(inside) ? (path.slice(inside.length).split('/')[0] ?? null) : null
}

/** Returns the rooms that arrows lead to from one room. */
function reach(arrows: Pick<Arrow, 'from' | 'to'>[], start: string): Set<string> {
  const found = new Set<string>()
  const waiting = [start]
  for (let room = waiting.pop(); room !== undefined; room = waiting.pop()) {
    for (const { from, to } of arrows) {
      if (from !== room || found.has(to)) continue
      found.add(to)
      waiting.push(to)
    }
  }
  return found
}

const node = String.raw`[\w-]+(?:[[({>]+.*?[\])}]+)?`
const arrow = String.raw`\s*(?:-->|--\s.*?-->)(?:\|[^|]*\|)?\s*`

/** Parses the solid arrows of the first flowchart; `a --> b & c` are two, `a --> b --> c` too. */
export function drawnArrows(text: string): { from: string; to: string }[] {
  const [, picture = ''] = /```mermaid\nflowchart[^\n]*\n([\s\S]*?)```/.exec(text) ?? []
  return picture.split('\n').flatMap((line) => {
    const sides = line.trim().split(new RegExp(arrow))
    if (sides.length < 2) return []
    const named = sides.map((side) => {
      const ids = side.matchAll(new RegExp(`(?:^|&)\\s*(${node})`, 'g'))
      return [...ids].map(([, one = '']) => /^[\w-]+/.exec(one)?.[0] ?? '')
    })
    return named.slice(1).flatMap((targets, index) => {
      return targets.flatMap((to) => (named[index] ?? []).map((from) => ({ from, to })))
    })
  })
}
