/** A foreign key: the referring table and the table referred to. */
export interface Reference {
  from: string
  to: string
}

/** Topological sort: a table comes before the tables that it refers to. Throws for a cycle. */
export function referringFirst(
  tables: readonly string[],
  references: readonly Reference[],
): string[] {
  const left = new Set(tables)
  const ordered: string[] = []
  const isFree = (table: string) =>
    !references.some(({ from, to }) => to === table && from !== table && left.has(from))
  while (left.size > 0) {
    const free = [...left].filter(isFree)
    if (free.length === 0) throw new Error(`tables refer to each other: ${[...left].join(', ')}`)
    for (const table of free) left.delete(table)
    ordered.push(...free)
  }
  return ordered
}
