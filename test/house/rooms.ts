import { dirname } from 'node:path'
import type { File } from './files.ts'
import { type Module, resolve } from './modules.ts'

const filesMax = 25

/** Returns folders with more than `filesMax` files. Folders of test data are exempt. */
export function crowdedFolders(files: Pick<File, 'path'>[]): string[] {
  const rooms = files.filter(({ path }) => !path.startsWith('test/data/'))
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
